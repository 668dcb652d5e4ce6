"""CLIP: a decoder that reads texts beside a ViT with a norm before its blocks."""

from kzoo_recipes import KzooError

from kzoo.layers import LearnedPositions
from kzoo.models.families.family import (
    Family,
    activation,
    activation_of,
    check_shares,
    epsilon_of,
    feed_forward,
    layer_norm,
    option,
    positions_of,
    sizes_of,
)
from kzoo.models.families.vit import BLOCKS, image_config, image_sizes

TEXT, IMAGE = "text_config", "vision_config"
HIGHEST = 2  # An eos_token_id of the first CLIPs, which then take the highest id.
# What transformers takes where a file of a tower does not say it.
OF_BOTH = {
    "hidden_act": "quick_gelu",
    "layer_norm_eps": 1e-5,
    "attention_dropout": 0.0,
    "num_hidden_layers": 12,
}
USUAL = {
    TEXT: {
        **OF_BOTH,
        "vocab_size": 49408,
        "hidden_size": 512,
        "intermediate_size": 2048,
        "num_attention_heads": 8,
        "max_position_embeddings": 77,
        "eos_token_id": 49407,
    },
    IMAGE: {
        **OF_BOTH,
        "hidden_size": 768,
        "intermediate_size": 3072,
        "num_attention_heads": 12,
        "num_channels": 3,
        "image_size": 224,
        "patch_size": 32,
    },
}


def tower_config(config, key):
    """What a CLIP's config.json says of a tower, with what it leaves out.

    Args:
        config: dict, of a whole model.
        key: `TEXT` or `IMAGE`.
    """
    # Older files say it twice, and transformers takes the second.
    told = config.get(f"{key}_dict") or config.get(key) or {}
    if not isinstance(told, dict):
        raise KzooError(f"config.json: {key} is no object, and is to say the sizes.")
    found = {**USUAL[key], **told, "model_type": config.get("model_type")}
    check_shares(found)
    return found


def clip_stack(config):
    """A CLIP as arguments of its towers by "text" and "image", and of "model"."""
    text, image = tower_config(config, TEXT), tower_config(config, IMAGE)
    [projection] = sizes_of(
        {"projection_dim": 512, **config}, {"": "projection_dim"}
    ).values()
    end = text["eos_token_id"]
    if isinstance(end, bool) or not isinstance(end, int):
        raise KzooError(
            f"config.json: eos_token_id of text_config is {end!r}; kzoo takes the "
            "vector of one token as a text's, so it must be an integer."
        )
    return {
        "text": _text_stack(text),
        "image": _image_stack(image),
        "model": {
            "projection_dim": projection,
            "end_id": None if end == HIGHEST else end,
        },
    }


def _text_stack(config):
    """The tower of texts as arguments of `TransformerDecoder`."""
    sizes = sizes_of(config, {"vocabulary_size": "vocab_size", **BLOCKS})
    [positions] = sizes_of(config, {"": "max_position_embeddings"}).values()
    return {
        **sizes,
        **_blocks(config, sizes),
        "position": LearnedPositions(sizes["hidden_dim"], positions, name="position"),
        "norm_placement": "pre",
        "cross_attention": False,
    }


def _image_stack(config):
    """The tower of images as arguments of `ImageEncoder`."""
    sizes, channels = image_sizes(config)
    blocks = _blocks(config, sizes)
    embedding = {"num_channels": channels, "use_bias": False, "norm": blocks["norm"]}
    return {**sizes, **blocks, "embedding": embedding}


def _blocks(config, sizes):
    return {
        "dropout": 0.0,
        "feed_forward": feed_forward(
            activation(config), sizes["hidden_dim"], sizes["intermediate_dim"]
        ),
        "norm": layer_norm(config["layer_norm_eps"]),
        "attention": {"dropout": config["attention_dropout"]},
    }


def clip_config(arguments, more):
    """The inverse of `clip_stack`."""
    text, image, own = (arguments[key] for key in ("text", "image", "model"))
    tower = {
        TEXT: {
            **{theirs: text[ours] for ours, theirs in BLOCKS.items()},
            "model_type": "clip_text_model",
            "vocab_size": text["vocabulary_size"],
            "max_position_embeddings": positions_of(text),
            "hidden_act": activation_of(text),
            "layer_norm_eps": epsilon_of(text),
            **more,
            "eos_token_id": HIGHEST if own["end_id"] is None else own["end_id"],
        },
        IMAGE: {**image_config(image), "model_type": "clip_vision_model"},
    }
    for key, stack in ((TEXT, text), (IMAGE, image)):
        tower[key]["attention_dropout"] = option(
            stack, "attention", "dropout", stack["dropout"]
        )
        tower[key]["projection_dim"] = own["projection_dim"]
    return {**tower, "projection_dim": own["projection_dim"]}


CLIP = Family("clip", ("clip",), "CLIP", clip_stack, clip_config, sees=True)
