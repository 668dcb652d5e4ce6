"""ModernBERT: rotary, gated, normed before; most layers see what is near only."""

import keras
from kzoo_recipes import KzooError

from kzoo.layers import AlternatingPositions, GatedFeedForward, RotaryPositions
from kzoo.layers.parts import config_of
from kzoo.models.families.family import (
    Family,
    activation,
    epsilon_of,
    inside,
    option,
    scorer,
    sizes_of,
    theirs_of,
    ties,
)

SIZES = {
    "vocabulary_size": "vocab_size",
    "num_layers": "num_hidden_layers",
    "num_heads": "num_attention_heads",
    "hidden_dim": "hidden_size",
    "intermediate_dim": "intermediate_size",
}
KINDS = ("full_attention", "sliding_attention")
# What turns how fast, by its name in older files and its usual value.
BASES = {
    "full_attention": ("global_rope_theta", 160000.0),
    "sliding_attention": ("local_rope_theta", 10000.0),
}
POOLINGS = {"cls": "first", "mean": "mean"}


def stack(config):
    """A ModernBERT as arguments of `TransformerEncoder`.

    What it drops behind attention alone, kzoo drops behind feed-forwards, too.
    """
    sizes = sizes_of(config, SIZES)
    width, heads = sizes["hidden_dim"], sizes["num_heads"]
    if width % (2 * heads):
        raise KzooError(
            f"config.json: hidden_size is {width} and num_attention_heads {heads}; "
            "heads that are rotated have an even width."
        )
    norm = norm_of(config, "norm")
    far, near = (
        RotaryPositions(width // heads, base=base_of(config, kind), name=name)
        for kind, name in zip(KINDS, ("far", "near"), strict=True)
    )
    dropout = config.get("attention_dropout", 0.0)
    bias = config.get("attention_bias", False)
    return {
        **sizes,
        "dropout": dropout,
        "position": AlternatingPositions(
            far,
            near,
            every=every_of(config),
            window=config.get("local_attention", 128) // 2,
            name="position",
        ),
        "feed_forward": GatedFeedForward(
            width,
            sizes["intermediate_dim"],
            activation(config, "hidden_activation"),
            dropout=config.get("mlp_dropout", 0.0),
            use_bias=config.get("mlp_bias", False),
            name="feed_forward",
        ),
        "norm": norm,
        "norm_placement": "pre_but_first",
        "attention": {"dropout": dropout, "use_bias": bias, "train_key_bias": bias},
        "embedding": {"norm": norm, "dropout": config.get("embedding_dropout", 0.0)},
    }


def norm_of(config, name):
    """Its layer norm, as a rule without a bias."""
    return keras.layers.LayerNormalization(
        epsilon=config.get("norm_eps", 1e-5),
        center=config.get("norm_bias", False),
        name=name,
    )


def base_of(config, kind):
    """The base of the rotations in layers of a kind, a key of `BASES`."""
    older, usual = BASES[kind]
    told = (config.get("rope_parameters") or {}).get(kind) or {}
    scaling = config.get("rope_scaling") or {}
    turning = told.get("rope_type", scaling.get("rope_type", "default"))
    if turning != "default":
        raise KzooError(
            f"config.json: rope_parameters of {kind} are of the type {turning!r}; of "
            "ModernBERT kzoo has models with 'default' only."
        )
    return float(told.get("rope_theta", config.get(older, usual)))


def every_of(config):
    """Of how many layers one sees all."""
    every = config.get("global_attn_every_n_layers", 3)
    kinds = config.get("layer_types")
    if kinds is None:
        return every
    for step in (every, *range(1, len(kinds) + 1)):
        if kinds == kinds_of(len(kinds), step):
            return step
    raise KzooError(
        f"config.json: layer_types must be {KINDS[0]!r} every so many layers, from the "
        f"first on, and {KINDS[1]!r} in between."
    )


def kinds_of(num_layers, every):
    """What each layer is called, where one of `every` sees all."""
    return [KINDS[index % every > 0] for index in range(num_layers)]


def config(arguments, more):
    """The inverse of `stack`."""
    every = inside(arguments, "position", "every") or 1
    bases = [inside(arguments, "position", name, "base") for name in ("far", "near")]
    dropout = arguments["dropout"]
    return {
        **{theirs: arguments[ours] for ours, theirs in SIZES.items()},
        "norm_eps": epsilon_of(arguments),
        "norm_bias": inside(arguments, "norm", "center") is not False,
        "hidden_activation": theirs_of(inside(arguments, "feed_forward", "activation")),
        "mlp_bias": bool(inside(arguments, "feed_forward", "use_bias")),
        "mlp_dropout": inside(arguments, "feed_forward", "dropout") or 0.0,
        "attention_bias": option(arguments, "attention", "use_bias", True),
        "attention_dropout": option(arguments, "attention", "dropout", dropout),
        "embedding_dropout": option(arguments, "embedding", "dropout", dropout),
        "local_attention": 2 * (inside(arguments, "position", "window") or 0),
        "global_attn_every_n_layers": every,
        "layer_types": kinds_of(arguments["num_layers"], every),
        "rope_parameters": {
            kind: {"rope_theta": base, "rope_type": "default"}
            for kind, base in zip(KINDS, bases, strict=True)
            if base is not None
        },
        **more,
    }


def inner(config):
    """The layer inside its heads: activation, norm and whether there is a bias."""
    return {
        "activation": activation(config, "classifier_activation"),
        "norm": config_of(norm_of(config, "head_norm")),
        "bias": config.get("classifier_bias", False),
        "dropout": config.get("classifier_dropout", 0.0),
    }


def classifier(config):
    """Its head: a GELU of the first token, or of the mean, and a norm."""
    found = inner(config)
    pooling = config.get("classifier_pooling", "cls")
    if pooling not in POOLINGS:
        raise KzooError(
            f"config.json: classifier_pooling is {pooling!r}; kzoo knows "
            f"{', '.join(map(repr, POOLINGS))}."
        )
    return {
        "pooling": POOLINGS[pooling],
        "activation": found["activation"],
        "head_norm": found["norm"],
        "head_bias": found["bias"],
        "dropout": found["dropout"],
    }


def tagger(config):
    """Its head: a GELU of each token and a norm."""
    found = inner(config)
    return {
        "inner_activation": found["activation"],
        "inner_norm": found["norm"],
        "inner_bias": found["bias"],
        "dropout": found["dropout"],
    }


def masked_lm(config):
    """The same layer before the scores."""
    found = inner(config)
    bias = config.get("decoder_bias", True)
    return {
        "activation": found["activation"],
        "norm": found["norm"],
        "use_bias": found["bias"],
        "projection": scorer(config) if bias else {"tied": ties(config)},
    }


def head(model):
    """What a config says of the head of a model."""
    if hasattr(model, "fill"):
        projection = model.get_config()["projection"] or {"use_bias": True}
        return {
            "classifier_activation": theirs_of(model.activation),
            "classifier_bias": model.use_bias,
            "decoder_bias": projection.get("use_bias", False),
        }
    if hasattr(model, "inner_activation"):
        activation, bias, pooling = model.inner_activation, model.inner_bias, "cls"
    else:
        activation, bias = model.activation, model.head_bias
        names = {ours: theirs for theirs, ours in POOLINGS.items()}
        pooling = names.get(model.pooling, "cls")
    return {
        "classifier_activation": theirs_of(activation),
        "classifier_bias": bias,
        "classifier_pooling": pooling,
    }


MODERNBERT = Family(
    *("modernbert", ("modernbert",), "ModernBert"),
    *(stack, config, classifier, tagger, masked_lm),
    head=head,
)
