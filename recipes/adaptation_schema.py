"""What a recipe may say of a small part that is trained beside a pretrained model."""

from typing import Annotated, Literal

from msgspec import Meta

from .kinds import Count, Positive, Rate, Table, Text, says


class Lora(Table, kw_only=True):
    """Updates of low rank, of `method = "lora"`."""

    rank: Annotated[
        Count, says("Width of the updates; at most the smaller side of a matrix.")
    ] = 8
    alpha: Annotated[Positive, says("The updates are scaled by `alpha` / `rank`.")] = (
        16.0
    )
    dropout: Annotated[
        Rate, says("Share of what the updates read that is dropped in training.")
    ] = 0.0
    targets: Annotated[
        list[Text] | None,
        says(
            "Projections that have an update: names of parts such as `query`, "
            "`attention.value`, `feed_forward` or `encoder.block_0`, with `*` for "
            "letters; all projections in the blocks if left out."
        ),
    ] = None


class Adapters(Table, kw_only=True):
    """Bottlenecks behind the sub-layers, of `method = "adapters"`."""

    dim: Annotated[Count, says("Width of the bottlenecks.")] = 32
    placement: Annotated[
        Literal["houlsby", "pfeiffer"],
        says(
            "Behind every sub-layer, norms being trained, too (`houlsby`), or behind "
            "the feed-forward only (`pfeiffer`)."
        ),
    ] = "houlsby"
    activation: Annotated[
        Literal["gelu", "gelu_tanh", "relu", "silu", "tanh"],
        says("Between their two layers."),
    ] = "gelu"


class Prompt(Table, kw_only=True):
    """Vectors before every text, of `method = "prompt"`."""

    length: Annotated[
        Annotated[int, Meta(ge=1, le=1024)],
        says("How many; the encoder reads as many places more."),
    ] = 20


class Prefix(Table, kw_only=True):
    """Keys and values before those of every text, of `method = "prefix"`."""

    length: Annotated[
        Annotated[int, Meta(ge=1, le=1024)],
        says("How many in every layer; texts keep their places."),
    ] = 20
    projection: Annotated[
        bool,
        says(
            "Whether training makes them of shared vectors by two dense layers; the "
            "saved model has what these made."
        ),
    ] = False


class Adaptation(Table, kw_only=True):
    """A small part that is trained beside a pretrained model, which stands still."""

    method: Annotated[
        Literal["lora", "adapters", "bitfit", "prompt", "prefix"],
        says(
            "What is trained: updates of low rank beside the projections (`lora`), "
            "bottlenecks behind the sub-layers (`adapters`), the biases that there are "
            "(`bitfit`), vectors before every text (`prompt`), or keys and values "
            "before those of every text, in every layer (`prefix`)."
        ),
    ]
    lora: Lora | None = None
    adapters: Adapters | None = None
    prompt: Prompt | None = None
    prefix: Prefix | None = None
