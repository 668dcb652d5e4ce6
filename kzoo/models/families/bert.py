"""BERT and those that differ from it in a line: RoBERTa, XLM-R, CamemBERT, ELECTRA.

They add learned positions and segments to the tokens and normalise after each sum.
"""

from kzoo.layers import LearnedPositions
from kzoo.models.families.family import (
    Family,
    activation,
    activation_of,
    epsilon_of,
    feed_forward,
    layer_norm,
    option,
    positions_of,
    refused,
    scorer,
    sizes_of,
)

# kzoo's sizes and the same ones in a config.json.
SIZES = {
    "vocabulary_size": "vocab_size",
    "num_layers": "num_hidden_layers",
    "num_heads": "num_attention_heads",
    "hidden_dim": "hidden_size",
    "intermediate_dim": "intermediate_size",
}


def bert_stack(config, first_position=0):
    """A BERT as arguments of `TransformerEncoder`.

    Args:
        config: dict, of a config.json.
        first_position: int. The row of the position table that is a text's first; the
            rows before it are of no use.
    """
    refused(
        config,
        is_decoder=False,
        add_cross_attention=False,
        position_embedding_type="absolute",
    )
    sizes = sizes_of(config, SIZES)
    [positions] = sizes_of(config, {"": "max_position_embeddings"}).values()
    width = config.get("embedding_size") or sizes["hidden_dim"]
    norm = layer_norm(config.get("layer_norm_eps", 1e-12))
    embedding = {"num_segments": config.get("type_vocab_size", 2), "norm": norm}
    if width != sizes["hidden_dim"]:
        embedding["embedding_dim"] = width
    return {
        **sizes,
        "dropout": config.get("hidden_dropout_prob", 0.1),
        "position": LearnedPositions(
            width, positions - first_position, name="position"
        ),
        "feed_forward": feed_forward(
            activation(config), sizes["hidden_dim"], sizes["intermediate_dim"]
        ),
        "norm": norm,
        "norm_placement": "post",
        "attention": {"dropout": config.get("attention_probs_dropout_prob", 0.1)},
        "embedding": embedding,
    }


def bert_config(arguments, more, first_position=0):
    """The inverse of `bert_stack`."""
    return {
        **{theirs: arguments[ours] for ours, theirs in SIZES.items()},
        "max_position_embeddings": positions_of(arguments) + first_position,
        "type_vocab_size": option(arguments, "embedding", "num_segments", 0),
        "hidden_act": activation_of(arguments),
        "layer_norm_eps": epsilon_of(arguments),
        "hidden_dropout_prob": arguments["dropout"],
        "attention_probs_dropout_prob": option(
            arguments, "attention", "dropout", arguments["dropout"]
        ),
        **more,
    }


def first_position(config):
    """The row of a text's first position in tables that were made by fairseq."""
    return config.get("pad_token_id", 1) + 1


def roberta_stack(config):
    """A RoBERTa: positions begin behind that of the padding."""
    return bert_stack(config, first_position(config))


def roberta_config(arguments, more):
    """The inverse of `roberta_stack`."""
    more = {"pad_token_id": 1, **more}
    return bert_config(arguments, more, first_position(more))


def head_dropout(config):
    """Share dropped in the heads of a fine-tuned model."""
    told = config.get("classifier_dropout")
    return config.get("hidden_dropout_prob", 0.1) if told is None else told


def pooler(config):
    """BERT's own head: a tanh of the first token."""
    return {"pooling": "first", "activation": "tanh", "dropout": head_dropout(config)}


def first_token(config):
    """RoBERTa's head: the same, dropped before it, too."""
    return {**pooler(config), "pooled_dropout": head_dropout(config)}


def linear(config):
    """A tagger: nothing but dropout between the encoder and the logits."""
    return {"dropout": head_dropout(config)}


def electra_config(arguments, more):
    """The inverse of ELECTRA's stack, which is BERT's with a width of embeddings."""
    width = option(arguments, "embedding", "embedding_dim", arguments["hidden_dim"])
    return bert_config(arguments, {"embedding_size": width, **more})


def electra_head(config):
    """ELECTRA's head: a GELU of the first token, dropped before it, too."""
    return {**first_token(config), "activation": "gelu"}


def filler(config):
    """The head of BERT's masked language model."""
    return {
        "activation": activation(config),
        "norm": layer_norm(config.get("layer_norm_eps", 1e-12)),
        "projection": scorer(config),
    }


def gelu_filler(config):
    """RoBERTa's, a GELU whatever the blocks have."""
    return {**filler(config), "activation": "gelu"}


def electra_filler(config):
    """That of ELECTRA's generator, as wide as the token vectors."""
    width = config.get("embedding_size") or config["hidden_size"]
    return {
        **gelu_filler(config),
        "head_dim": None if width == config["hidden_size"] else width,
    }


def _roberta(name, model_type, architecture):
    return Family(
        name,
        (model_type,),
        architecture,
        roberta_stack,
        roberta_config,
        first_token,
        linear,
        gelu_filler,
        always_segments=True,
    )


BERT = Family(
    *("bert", ("bert",), "Bert"),
    *(bert_stack, bert_config, pooler, linear, filler),
    always_segments=True,
)
ROBERTA = _roberta("roberta", "roberta", "Roberta")
XLM_ROBERTA = _roberta("xlm_roberta", "xlm-roberta", "XLMRoberta")
CAMEMBERT = _roberta("camembert", "camembert", "Camembert")
ELECTRA = Family(
    "electra",
    ("electra",),
    "Electra",
    bert_stack,
    electra_config,
    electra_head,
    linear,
    electra_filler,
    always_segments=True,
)
