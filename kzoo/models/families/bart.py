"""BART and its kin: mBART, Marian and Pegasus.

They differ in where their norms stand and in how they tell positions:

    BART     after each sum, and after the embedding    learned
    mBART    before each part, and after the embedding  learned
    Marian   after each sum                             sinusoidal
    Pegasus  before each part                           sinusoidal
"""

from kzoo_recipes import KzooError

from kzoo.layers import FeedForward, LearnedPositions, SinusoidalPositions
from kzoo.models.families.family import (
    Family,
    activation,
    activation_of,
    layer_norm,
    option,
    positions_of,
    refused,
    sizes_of,
)

BOTH = {
    "vocabulary_size": "vocab_size",
    "hidden_dim": "d_model",
}
OF_A_SIDE = {
    "num_layers": "layers",
    "num_heads": "attention_heads",
    "intermediate_dim": "ffn_dim",
}
SIDES = ("encoder", "decoder")
EPSILON = 1e-5  # PyTorch's own, which no config names.


def _stack(placement, waves, embedding_norm):
    """The function from a config to rows of arguments for one of the four."""

    def stack(config):
        refused(config, is_decoder=False, is_encoder_decoder=True)
        both = sizes_of(config, BOTH)
        _one_vocabulary(config)
        [longest] = sizes_of(config, {"": "max_position_embeddings"}).values()
        width, norm = both["hidden_dim"], layer_norm(EPSILON)
        embedding = {"scale": bool(config.get("scale_embedding", False))}
        if embedding_norm:
            embedding["norm"] = norm
        if waves:
            position = SinusoidalPositions(
                width, halves=True, max_sequence_length=longest, name="position"
            )
        else:
            position = LearnedPositions(width, longest, name="position")
        stacks = {}
        for side in SIDES:
            names = {ours: f"{side}_{theirs}" for ours, theirs in OF_A_SIDE.items()}
            own = sizes_of(config, names)
            stacks[side] = {
                **both,
                **own,
                "dropout": config.get("dropout", 0.1),
                "position": position,
                "feed_forward": FeedForward(
                    width,
                    own["intermediate_dim"],
                    activation(config, "activation_function"),
                    dropout=config.get("activation_dropout", 0.0),
                    name="feed_forward",
                ),
                "norm": norm,
                "norm_placement": placement,
                "attention": {"dropout": config.get("attention_dropout", 0.0)},
                "embedding": embedding,
            }
        tied = config.get("tie_word_embeddings", True)
        shared = config.get("share_encoder_decoder_embeddings", True)
        model = {
            "projection": {"tied": tied, "use_bias": True},
            "share_embeddings": shared,
        }
        return {**stacks, "model": model}

    return stack


def _one_vocabulary(config):
    other = config.get("decoder_vocab_size")
    if other not in (None, config["vocab_size"]):
        raise KzooError(
            f"config.json: decoder_vocab_size is {other} and vocab_size "
            f"{config['vocab_size']}; kzoo's models read and write one vocabulary."
        )


def bart_config(arguments, more):
    """The inverse of each of the four.

    Args:
        arguments: dict of "encoder" and "decoder", as `get_config` has them, and
            "model", the arguments of `Seq2Seq`.
        more: dict of further keys.
    """
    encoder, model = arguments["encoder"], arguments["model"]
    part = encoder["feed_forward"]
    shared = model["share_embeddings"]
    # Of BART's, this one word is said of all tables at once.
    tied = (model["projection"] or {}).get("tied", True)
    return {
        **{theirs: encoder[ours] for ours, theirs in BOTH.items()},
        **{
            f"{side}_{theirs}": arguments[side][ours]
            for side in SIDES
            for ours, theirs in OF_A_SIDE.items()
        },
        "max_position_embeddings": positions_of(encoder) or 512,
        "activation_function": activation_of(encoder),
        "scale_embedding": option(encoder, "embedding", "scale", False),
        "dropout": encoder["dropout"],
        "attention_dropout": option(
            encoder, "attention", "dropout", encoder["dropout"]
        ),
        "activation_dropout": part["config"]["dropout"] if _is_dict(part) else 0.0,
        "tie_word_embeddings": tied and shared,
        "is_encoder_decoder": True,
        **more,
    }


def marian_config(arguments, more):
    """The same; Marian says of the two tables whether they are one."""
    config = bart_config(arguments, more)
    tied = (arguments["model"]["projection"] or {}).get("tied", True)
    return {
        **config,
        "tie_word_embeddings": tied,
        "share_encoder_decoder_embeddings": arguments["model"]["share_embeddings"],
        "decoder_vocab_size": config["vocab_size"],
    }


def _is_dict(part):
    return isinstance(part, dict)


BART = Family("bart", ("bart",), "Bart", _stack("post", False, True), bart_config)
MBART = Family("mbart", ("mbart",), "MBart", _stack("pre", False, True), bart_config)
MARIAN = Family(
    "marian", ("marian",), "Marian", _stack("post", True, False), marian_config
)
PEGASUS = Family(
    "pegasus", ("pegasus",), "Pegasus", _stack("pre", True, False), bart_config
)
