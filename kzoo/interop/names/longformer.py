"""What Longformer calls its weights: RoBERTa's names, and those of global tokens."""

from kzoo.interop.names import bert
from kzoo.interop.names.engine import Name, NameMap
from kzoo.interop.names.forms import head_bias, heads


def names(config, head):
    """A Longformer with the head of a task."""
    return bert.roberta(config, head) + [
        name
        for index in range(config["num_hidden_layers"])
        for name in own_projections(
            f"encoder/block_{index}/attention/kernel",
            f"encoder.layer.{index}.attention.self",
            config["num_attention_heads"],
        )
    ]


def own_projections(ours, theirs, num_heads):
    """What global tokens look at others by."""
    return [
        name
        for part in ("query", "key", "value")
        for name in (
            Name(
                f"{ours}/global_{part}/kernel",
                f"{theirs}.{part}_global.weight",
                heads(num_heads),
            ),
            Name(
                f"{ours}/global_{part}/bias",
                f"{theirs}.{part}_global.bias",
                head_bias(num_heads),
            ),
        )
    ]


LONGFORMER = NameMap(names, ("longformer.",), bert.UNPREFIXED, bert.ASIDE)
