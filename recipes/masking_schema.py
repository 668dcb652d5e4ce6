"""What `[masking]` may say: which tokens a model has to find.

The keys are arguments of `kzoo.text.masking.Masking`.
"""

from typing import Annotated

from msgspec import Meta

from .kinds import Table, says

Part = Annotated[float, Meta(ge=0, le=1)]


class Masking(Table, kw_only=True):
    """Which tokens are hidden: others in every epoch, the same ones always on dev."""

    share: Annotated[
        float,
        Meta(gt=0, le=1),
        says("Share of the tokens of a window that are asked for; at least one is."),
    ] = 0.15
    mask_share: Annotated[
        Part, says("Share of these in whose place the mask token stands.")
    ] = 0.8
    random_share: Annotated[
        Part,
        says(
            "Share of these in whose place another token stands, any of the "
            "vocabulary; the rest is left as it was, and asked for all the same."
        ),
    ] = 0.1
    whole_words: Annotated[
        bool, says("Whether all tokens of a word are asked for together.")
    ] = False
