"""What `[images]` may say: how pictures are made ready for a model.

The keys are arguments of `kzoo.images.ImageSettings`.
"""

from typing import Annotated, Literal

from msgspec import Meta, field

from .kinds import Positive, Table, says

Side = Annotated[int, Meta(ge=1, le=4096)]
Three = Annotated[list[float], Meta(min_length=3, max_length=3)]
Spread = Annotated[list[Positive], Meta(min_length=3, max_length=3)]


class Images(Table, kw_only=True):
    """How pictures are made ready: one size, one range of numbers."""

    size: Annotated[
        Side, says("Height and width of what the model is given, in pixels.")
    ] = 224
    resize: Annotated[
        Literal["shortest", "square"],
        says(
            "Whether the shortest side becomes `resized_to` and the middle is cut out, "
            "or the whole picture becomes a square, whatever its shape."
        ),
    ] = "shortest"
    resized_to: Annotated[
        Side | None,
        says("What the shortest side becomes; `size` if left out."),
    ] = None
    resample: Annotated[
        Literal["nearest", "bilinear", "bicubic", "lanczos"],
        says("How pixels are made of others."),
    ] = "bicubic"
    mean: Annotated[
        Three,
        says("What is taken from red, green and blue, which go from 0 to 1."),
    ] = field(default_factory=lambda: [0.5] * 3)
    std: Annotated[Spread, says("What the rest is divided by.")] = field(
        default_factory=lambda: [0.5] * 3
    )
