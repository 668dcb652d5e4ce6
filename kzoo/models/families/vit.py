"""ViT: patches, a class token and learned positions before pre-norm blocks."""

from kzoo_recipes import KzooError

from kzoo.models.families.family import (
    Family,
    activation,
    activation_of,
    epsilon_of,
    feed_forward,
    layer_norm,
    option,
    refused,
    sizes_of,
)

# kzoo's sizes and the same ones in a config.json.
BLOCKS = {
    "num_layers": "num_hidden_layers",
    "num_heads": "num_attention_heads",
    "hidden_dim": "hidden_size",
    "intermediate_dim": "intermediate_size",
}
IMAGES = {"image_size": "image_size", "patch_size": "patch_size"}


def image_sizes(config):
    """The sizes of an `ImageEncoder`, and the number of channels.

    Raises:
        KzooError: naming the key that is missing or wrong.
    """
    config = {**config, **{key: _side(config, key) for key in IMAGES.values()}}
    sizes = sizes_of(config, {**IMAGES, **BLOCKS})
    channels = sizes_of({"num_channels": 3, **config}, {"": "num_channels"})[""]
    if sizes["image_size"] % sizes["patch_size"]:
        raise KzooError(
            f"config.json: image_size is {sizes['image_size']}, which patches of "
            f"patch_size {sizes['patch_size']} do not fill; transformers leaves the "
            "rest of an image out, and kzoo has no such models."
        )
    return sizes, channels


def _side(config, key):
    """A side in pixels, which some configs say twice."""
    value = config.get(key)
    if isinstance(value, list | tuple) and len(value) == 2:
        if value[0] != value[1]:
            raise KzooError(
                f"config.json: {key} is {value[0]!r} by {value[1]!r}; kzoo has models "
                "of squares only."
            )
        return value[0]
    return value


def vit_stack(config):
    """A ViT as arguments of `ImageEncoder`."""
    refused(config, qkv_bias=True)
    sizes, channels = image_sizes(config)
    return {
        **sizes,
        "dropout": config.get("hidden_dropout_prob", 0.0),
        "feed_forward": feed_forward(
            activation(config), sizes["hidden_dim"], sizes["intermediate_dim"]
        ),
        "norm": layer_norm(config.get("layer_norm_eps", 1e-12)),
        "attention": {"dropout": config.get("attention_probs_dropout_prob", 0.0)},
        "embedding": {"num_channels": channels},
    }


def image_config(arguments):
    """The keys of a config.json that say the sizes of an `ImageEncoder`."""
    return {
        **{theirs: arguments[ours] for ours, theirs in {**IMAGES, **BLOCKS}.items()},
        "num_channels": option(arguments, "embedding", "num_channels", 3),
        "hidden_act": activation_of(arguments),
        "layer_norm_eps": epsilon_of(arguments),
    }


def vit_config(arguments, more):
    """The inverse of `vit_stack`."""
    return {
        **image_config(arguments),
        "hidden_dropout_prob": arguments["dropout"],
        "attention_probs_dropout_prob": option(
            arguments, "attention", "dropout", arguments["dropout"]
        ),
        "qkv_bias": True,
        **more,
    }


VIT = Family("vit", ("vit",), "ViT", vit_stack, vit_config, sees=True, reads=False)
