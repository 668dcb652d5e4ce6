"""How summaries are to be written: the options that commands share.

They are fields of `kzoo.generation.Generation`, with dashes. Those whose values are ids
of tokens, which nobody types, are for Python and recipes.
"""

import math
import re

import click
from kzoo_recipes import INT32_MAX, LONGEST, KzooError

EARLY = {"false": False, "true": True, "never": "never"}
SEVERAL = ("nbest", "seed")  # of no use where one summary a text is measured


class Number(click.FloatRange):
    """A number in a range, which NaN and the infinities are not."""

    def convert(self, value, param, ctx):
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def _option(name, type, help, **more):
    return click.option(f"--{name}", type=type, help=f"Of a summarizer: {help}", **more)


COUNT, NATURAL = click.IntRange(1, INT32_MAX), click.IntRange(0, INT32_MAX)
OPTIONS = {
    "beams": _option(
        "beams",
        COUNT,
        "summaries that are written side by side; 1 takes the likeliest token each "
        "time.",
    ),
    "nbest": _option("nbest", COUNT, "summaries of each text, the best first."),
    "max_new_tokens": _option(
        "max-new-tokens",
        click.IntRange(1, LONGEST),
        "most tokens of a summary, its end counted.",
    ),
    "min_new_tokens": _option(
        "min-new-tokens", NATURAL, "tokens before the end of a summary may come."
    ),
    "length_penalty": _option(
        "length-penalty",
        Number(),
        "log-probabilities are divided by the length to this power: more favours long "
        "summaries.",
    ),
    "early_stopping": _option(
        "early-stopping",
        click.Choice(tuple(EARLY)),
        "whether the search ends once there are as many summaries as beams; false: "
        "when better ones are unlikely, never: when there can be none.",
        callback=lambda ctx, option, value: EARLY.get(value),
    ),
    "no_repeat_ngram": _option(
        "no-repeat-ngram",
        NATURAL,
        "runs of so many tokens come once only; 0 lets all come again.",
    ),
    "repetition_penalty": _option(
        "repetition-penalty",
        Number(min=0, min_open=True),
        "above 1, tokens that have come are less likely to come again.",
    ),
    "beam_groups": _option(
        "beam-groups", COUNT, "groups of beams that shun each other's tokens."
    ),
    "diversity_penalty": _option(
        "diversity-penalty",
        Number(min=0),
        "what a token loses for each beam of an earlier group that just wrote it.",
    ),
    "sample": _option("sample", None, "draw tokens at random.", is_flag=True),
    "temperature": _option(
        "temperature",
        Number(min=0, min_open=True),
        "below 1, likely tokens are drawn still more often; with --sample.",
    ),
    "top_k": _option(
        "top-k", NATURAL, "draw among so many likeliest tokens; with --sample."
    ),
    "top_p": _option(
        "top-p",
        Number(0, 1, min_open=True),
        "draw among the likeliest tokens that make up this probability; with --sample.",
    ),
    "min_p": _option(
        "min-p",
        Number(0, 1),
        "draw among tokens of at least this share of the likeliest one's probability; "
        "with --sample.",
    ),
    "seed": _option(
        "seed", NATURAL, "which draws are made, equal on every backend; with --sample."
    ),
}
DRAWN = ("temperature", "top_k", "top_p", "min_p", "seed")


def generation_options(command=None, *, several=True):
    """The options of `Generation`; what is not told is as saved with the model.

    Args:
        several: bool. `False` leaves out `--nbest` and `--seed`.
    """
    if command is None:
        return lambda command: generation_options(command, several=several)
    for name, option in reversed(OPTIONS.items()):
        if several or name not in SEVERAL:
            command = option(command)
    return command


def told_settings(options):
    """Take what was told of generation out of a command's options.

    Returns:
        dict from fields of `Generation` to values; of what was told only.

    Raises:
        click.UsageError: if how tokens are drawn was told, and not that they are.
    """
    told = {name: options.pop(name, None) for name in OPTIONS}
    told = {name: value for name, value in told.items() if value is not None}
    if not told.pop("sample", False):
        for name in DRAWN:
            if name in told:
                raise click.UsageError(
                    f"{option_of(name)} says how tokens are drawn; add --sample, which "
                    "draws them."
                )
        return told
    return {"sample": True, **told}


def option_of(name):
    """`--no-repeat-ngram` of `no_repeat_ngram`."""
    return f"--{name.replace('_', '-')}"


def settings_for(model, told):
    """How a summarizer is to write: as told, else as saved with it.

    Args:
        model: what has `settings`.
        told: dict, from `told_settings`.

    Raises:
        KzooError: if what was told does not go together, or not with the model.
    """
    try:
        return model.settings(**told)
    except ValueError as error:
        raise KzooError(in_options(str(error))) from None


def in_options(text):
    """A sentence about fields of `Generation`, about options."""
    return re.sub(
        r"`(\w+)`", lambda m: option_of(m[1]) if m[1] in OPTIONS else m[0], text
    )
