"""What `[generation]` may say: how a trained model writes, token by token.

The keys are arguments of `kzoo.generation.Generation`.
"""

from typing import Annotated, Literal

from msgspec import Meta

from .kinds import LONGEST, Count, Natural, Table, says


class Generation(Table, kw_only=True):
    """How summaries are searched for in the final measure and by the saved model."""

    beams: Annotated[
        Count,
        says("Summaries that are written side by side; 1 takes the likeliest token."),
    ] = 4
    max_new_tokens: Annotated[
        Annotated[int, Meta(ge=1, le=LONGEST)] | None,
        says(
            "Most tokens of a summary, its end counted; `summary_length` if left out."
        ),
    ] = None
    min_new_tokens: Annotated[
        Natural, says("Tokens before the end of a summary may come.")
    ] = 0
    length_penalty: Annotated[
        float,
        Meta(ge=-10, le=10),
        says(
            "A summary's log-probability is divided by its length to this power: more "
            "favours long ones, less short ones."
        ),
    ] = 1.0
    early_stopping: Annotated[
        bool | Literal["never"],
        says(
            "Whether the search ends once `beams` summaries are written. `false` ends "
            "it when better ones are unlikely, `never` when there can be none."
        ),
    ] = False
    no_repeat_ngram: Annotated[
        Natural,
        says("Runs of so many tokens that may come once only; 0 lets all come again."),
    ] = 0
    repetition_penalty: Annotated[
        float,
        Meta(ge=1e-4, le=10_000),
        says("Above 1, tokens that have come are less likely to come again."),
    ] = 1.0
    beam_groups: Annotated[
        Count,
        says("Groups of beams that shun each other's tokens; must divide `beams`."),
    ] = 1
    diversity_penalty: Annotated[
        float,
        Meta(ge=0, le=10_000),
        says("Taken off the score of a token that an earlier group has just written."),
    ] = 0.0
