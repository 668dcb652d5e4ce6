"""BigBird: a BERT for long texts, whose blocks of tokens see some blocks only."""

from kzoo_recipes import KzooError

from kzoo.layers.kernels.named import kernel_part
from kzoo.models.families import bert
from kzoo.models.families.family import (
    Family,
    activation,
    option,
    refused,
    sizes_of,
)

KINDS = ("block_sparse", "original_full")


def stack(config):
    """A BigBird as arguments of `TransformerEncoder`.

    Outside training transformers draws no blocks: the first stands for each of them.
    """
    config = complete(config)
    refused(config, use_bias=True)
    row = bert.bert_stack(config)
    kind = config["attention_type"]
    if kind not in KINDS:
        raise KzooError(
            f"config.json: attention_type is {kind!r}; it is {' or '.join(KINDS)}."
        )
    kernel = None
    if kind == "block_sparse":
        [size] = sizes_of(config, {"": "block_size"}).values()
        number = config["num_random_blocks"]
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise KzooError(
                "config.json: num_random_blocks must be an integer of at least 0, and "
                f"is {number!r}."
            )
        kernel = {
            "kind": "big_bird",
            "block_size": size,
            "num_random": number,
            "kernel_seed": None,
        }
    return {
        **row,
        "attention": {**row["attention"], "kernel": kernel},
        "embedding": {**row["embedding"], "scale": config["rescale_embeddings"]},
    }


def complete(config):
    """A config with what is usual of BigBirds where it says nothing."""
    return {
        "hidden_act": "gelu_new",
        "attention_type": "block_sparse",
        "block_size": 64,
        "num_random_blocks": 3,
        "rescale_embeddings": False,
        **config,
    }


def config(arguments, more):
    """The inverse of `stack`."""
    kernel = kernel_part(option(arguments, "attention", "kernel", None))
    own = {
        "attention_type": KINDS[kernel is None],
        "rescale_embeddings": option(arguments, "embedding", "scale", False),
    }
    if kernel is not None:
        own["block_size"] = getattr(kernel, "block_size", 64)
        own["num_random_blocks"] = getattr(kernel, "num_random", 3)
    return bert.bert_config(arguments, {**own, **more})


def classifier(config):
    """RoBERTa's head, with the activation of the blocks."""
    return {**bert.first_token(config), "activation": activation(complete(config))}


def filler(config):
    """BERT's, with the activation of the blocks."""
    return bert.filler(complete(config))


BIG_BIRD = Family(
    *("big_bird", ("big_bird",), "BigBird"),
    *(stack, config, classifier, bert.linear, filler),
    always_segments=True,
)
