"""DistilBERT: a BERT of half the depth, without segments and pooler."""

from kzoo.layers import LearnedPositions
from kzoo.models.families.family import (
    Family,
    activation,
    activation_of,
    feed_forward,
    layer_norm,
    option,
    positions_of,
    scorer,
    sizes_of,
)

SIZES = {
    "vocabulary_size": "vocab_size",
    "num_layers": "n_layers",
    "num_heads": "n_heads",
    "hidden_dim": "dim",
    "intermediate_dim": "hidden_dim",
}


def stack(config):
    """A DistilBERT as arguments of `TransformerEncoder`."""
    sizes = sizes_of(config, SIZES)
    [positions] = sizes_of(config, {"": "max_position_embeddings"}).values()
    norm = layer_norm(1e-12)
    width = sizes["hidden_dim"]
    return {
        **sizes,
        "dropout": config.get("dropout", 0.1),
        "position": LearnedPositions(width, positions, name="position"),
        "feed_forward": feed_forward(
            activation(config, "activation"), width, sizes["intermediate_dim"]
        ),
        "norm": norm,
        "norm_placement": "post",
        "attention": {"dropout": config.get("attention_dropout", 0.1)},
        "embedding": {"norm": norm},
    }


def config(arguments, more):
    """The inverse of `stack`."""
    return {
        **{theirs: arguments[ours] for ours, theirs in SIZES.items()},
        "max_position_embeddings": positions_of(arguments),
        "sinusoidal_pos_embds": False,  # They are a table all the same.
        "activation": activation_of(arguments),
        "dropout": arguments["dropout"],
        "attention_dropout": option(
            arguments, "attention", "dropout", arguments["dropout"]
        ),
        **more,
    }


def classifier(config):
    """Its head: a ReLU of the first token."""
    return {
        "pooling": "first",
        "activation": "relu",
        "dropout": config.get("seq_classif_dropout", 0.2),
    }


def tagger(config):
    """Nothing but dropout between the encoder and the logits."""
    return {"dropout": config.get("dropout", 0.1)}


def masked_lm(config):
    """The head of its masked language model."""
    return {
        "activation": activation(config, "activation"),
        "norm": layer_norm(1e-12),
        "projection": scorer(config),
    }


DISTILBERT = Family(
    "distilbert",
    ("distilbert",),
    "DistilBert",
    stack,
    config,
    classifier,
    tagger,
    masked_lm,
)
