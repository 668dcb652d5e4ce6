"""T5 and its successors: v1.1, Flan, byT5 and mT5.

Positions are a bias by distance; norms stand before what they serve and only scale; no
projection has a bias, and scores are not divided by the root of the head's size.
"""

import keras

from kzoo.layers import FeedForward, GatedFeedForward, RelativePositions
from kzoo.models.families.family import (
    THEIR_NAMES,
    Family,
    activation,
    epsilon_of,
    option,
    refused,
    sizes_of,
)

SIZES = {
    "vocabulary_size": "vocab_size",
    "num_heads": "num_heads",
    "hidden_dim": "d_model",
    "intermediate_dim": "d_ff",
}


def t5_stack(config):
    """A T5 as arguments of encoder, decoder and `Seq2Seq`.

    Args:
        config: dict, of a config.json. `tie_word_embeddings` says whether the token
            vectors score; of T5, files that are older than `scale_decoder_outputs` say
            by it whether scores are scaled.
    """
    refused(config, is_decoder=False, is_encoder_decoder=True)
    sizes = sizes_of(config, SIZES)
    [depth] = sizes_of(config, {"": "num_layers"}).values()
    [head_dim] = sizes_of({"d_kv": 64, **config}, {"": "d_kv"}).values()
    dropout = config.get("dropout_rate", 0.1)
    norm = keras.layers.RMSNormalization(
        epsilon=config.get("layer_norm_epsilon", 1e-6), name="norm"
    )
    depths = {"encoder": depth, "decoder": config.get("num_decoder_layers") or depth}
    stacks = {
        side: {
            **sizes,
            "num_layers": depths[side],
            "dropout": dropout,
            "position": RelativePositions(
                sizes["num_heads"],
                config.get("relative_attention_num_buckets", 32),
                config.get("relative_attention_max_distance", 128),
                bidirectional=side == "encoder",
                name="position",
            ),
            "feed_forward": _feed_forward(config, sizes, dropout),
            "norm": norm,
            "norm_placement": "pre",
            "attention": {"head_dim": head_dim, "use_bias": False, "scale": 1.0},
        }
        for side in depths
    }
    projection = {"tied": config.get("tie_word_embeddings", True)}
    if scales(config):
        projection["scale"] = sizes["hidden_dim"] ** -0.5
    shared = config.get("share_encoder_decoder_embeddings", True)
    return {**stacks, "model": {"projection": projection, "share_embeddings": shared}}


def scales(config):
    """Whether what is scored is divided by the root of its width: T5 v1.0 does."""
    if config.get("model_type") != "t5":
        return False
    tied = config.get("tie_word_embeddings") is not False
    return config.get("scale_decoder_outputs", tied)


def _feed_forward(config, sizes, dropout):
    default = "relu" if config.get("model_type") == "t5" else "gated-gelu"
    gate, _, name = config.get("feed_forward_proj", default).rpartition("-")
    if gate not in ("", "gated"):  # `activation` refuses the name as a whole.
        name = config["feed_forward_proj"]
    elif (gate, name) == ("gated", "gelu"):
        name = "gelu_new"  # What T5 v1.1 means by it.
    kind = GatedFeedForward if gate else FeedForward
    return kind(
        sizes["hidden_dim"],
        sizes["intermediate_dim"],
        activation({**config, "feed_forward_proj": name}, "feed_forward_proj"),
        dropout=dropout,
        use_bias=False,
        name="feed_forward",
    )


def t5_config(arguments, more):
    """The inverse of `t5_stack`.

    Args:
        arguments: dict of "encoder" and "decoder", as `get_config` has them, and
            "model", the arguments of `Seq2Seq`.
        more: dict of further keys.
    """
    encoder, decoder = arguments["encoder"], arguments["decoder"]
    position = encoder["position"]
    position = position["config"] if isinstance(position, dict) else {}
    projection = arguments["model"]["projection"] or {}
    tied, scaled = projection.get("tied", True), projection.get("scale") is not None
    return {
        **{theirs: encoder[ours] for ours, theirs in SIZES.items()},
        "d_kv": option(encoder, "attention", "head_dim", encoder["hidden_dim"]),
        "num_layers": encoder["num_layers"],
        "num_decoder_layers": decoder["num_layers"],
        "relative_attention_num_buckets": position.get("num_buckets", 32),
        "relative_attention_max_distance": position.get("max_distance", 128),
        "feed_forward_proj": _proj_of(encoder["feed_forward"]),
        "layer_norm_epsilon": epsilon_of(encoder),
        "dropout_rate": encoder["dropout"],
        # transformers 4 scales where this is true and only there.
        "tie_word_embeddings": tied or scaled,
        "scale_decoder_outputs": scaled,
        "is_encoder_decoder": True,
        **more,
    }


def _proj_of(part):
    if not isinstance(part, dict):
        return "relu"  # `differences` then says what another has.
    name = part["config"]["activation"]
    if part["class_name"] != "GatedFeedForward":
        return THEIR_NAMES[name]
    exact = {"gelu_tanh": "gelu", "gelu": "gelu_python"}
    return f"gated-{exact.get(name, THEIR_NAMES[name])}"


T5 = Family("t5", ("t5",), "T5", t5_stack, t5_config)
MT5 = Family("mt5", ("mt5",), "MT5", t5_stack, t5_config)
