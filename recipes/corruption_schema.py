"""What `[corruption]` may say: which spans a model has to write.

The keys are arguments of `kzoo.text.spans.Corruption`.
"""

from typing import Annotated

from msgspec import Meta

from .kinds import Table, says


class Corruption(Table, kw_only=True):
    """Which spans are taken out: others in every epoch, the same ones always on dev."""

    share: Annotated[
        float,
        Meta(gt=0, lt=1),
        says("Share of the tokens of a window that is taken out; at least one is."),
    ] = 0.15
    span_length: Annotated[
        float, Meta(ge=1), says("Mean length of a span in tokens.")
    ] = 3.0
