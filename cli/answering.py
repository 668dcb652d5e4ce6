"""What a saved model answers, and what may be asked of it."""

from typing import NamedTuple

import click
from kzoo_recipes import KzooError

from .blanks import Blanks
from .eye import Eye
from .filling import Fillings
from .generation import settings_for
from .labelling import Labels, PicturedLabels
from .summarizing import Summaries
from .tagging import Entities, Tags

# What models do, and what the models that an option is for do.
DOES = {
    "image_text_classifier": (
        "labels texts with pictures",
        "label texts with pictures",
    ),
    "masked_lm": ("finds hidden tokens", "find hidden tokens"),
    "text_classifier": ("labels whole texts", "label whole texts"),
    "token_tagger": ("tags words", "tag words"),
    "summarizer": ("summarizes texts", "summarize"),
    "span_corruption": ("writes missing spans", "write missing spans"),
}


METHODS = {
    "summarize": "summarizer",
    "tag_words": "token_tagger",
    "fill": "masked_lm",
}
WRITES = ("summarizer", "span_corruption")  # They share their options.
TOP = 5  # tokens that are named for a mask


class Wish(NamedTuple):
    """What was asked for.

    Attributes:
        batch_size: int.
        by_word: bool. Whether each word is to have a tag.
        tagging: dict. What was said that only taggers can do, by option; what is false
            was not.
        generation: dict. What was told of `kzoo.generation.Generation`, by field.
        scores: bool. Whether people are shown the scores of summaries.
        live: bool. Whether people watch the answers.
        candidates: int. How many tokens to name for a mask; `None` was not told.
        pictured: bool. Whether pictures were named.
        eye: `Eye`, which reads the pictures of texts.
    """

    batch_size: int
    by_word: bool
    tagging: dict
    generation: dict
    scores: bool
    live: bool
    candidates: int | None = None
    pictured: bool = False
    eye: Eye | None = None

    def for_task(self, task):
        """The options that only models of a task know, of those that were given."""
        if task == "token_tagger":
            return [option for option, value in self.tagging.items() if value]
        if task == "image_text_classifier":
            return ["--image"] * self.pictured
        if task == "masked_lm":
            return [] if self.candidates is None else ["--candidates"]
        if task in WRITES:
            told = [f"--{name.replace('_', '-')}" for name in self.generation]
            return told + ["--scores"] * self.scores
        return []


def kind_of(model, name, wish, format):
    """What the answers of a model are: `Labels`, `Entities`, `Tags` and so on.

    Args:
        model: what `kzoo.load_model` gave.
        name: str. What the person calls it.
        wish: `Wish`.
        format: str, one of `kzoo_cli.answers.FORMATS`.

    Raises:
        KzooError: if it cannot do what was asked.
    """
    task = _task_of(model)
    for other in ("token_tagger", "summarizer", "masked_lm", "image_text_classifier"):
        options = wish.for_task(other)
        if options and other != task and not {other, task} <= {*WRITES}:
            raise KzooError(
                f"{name} {DOES[task][0]}; {options[0]} is for models that "
                f"{DOES[other][1]}."
            )
    kind = _kind(model, task, wish)
    if format in kind.formats:
        return kind
    if task == "token_tagger":
        raise click.UsageError(
            f"{format} has a word a line, so say with --by-word that texts are words "
            "with white space in between; or read a file of words."
        )
    raise KzooError(
        f"{name} {DOES[task][0]}, so it cannot write {format}, a word a line; choose "
        f"one of {', '.join(kind.formats)}."
    )


def _task_of(model):
    if getattr(model, "corruption", None) is not None:
        return "span_corruption"
    if getattr(model, "reads_pairs", False):
        return "image_text_classifier"
    for method, task in METHODS.items():
        if hasattr(model, method):
            return task
    if hasattr(model, "images"):  # It sees, so that texts alone are nothing to it.
        from kzoo.training.answers import task_of

        return task_of(model)
    return "text_classifier"


def _kind(model, task, wish):
    if task == "text_classifier":
        return Labels(model, wish.batch_size)
    if task == "image_text_classifier":
        return PicturedLabels(model, wish.batch_size, wish.eye or Eye())
    if task == "masked_lm":
        return Fillings(model, wish.batch_size, wish.candidates or TOP)
    if task == "span_corruption":
        settings = settings_for(model, wish.generation)
        return Blanks(model, wish.batch_size, settings, wish.scores)
    if task == "summarizer":
        settings = settings_for(model, wish.generation)
        return Summaries(model, wish.batch_size, settings, wish.scores, wish.live)
    if wish.by_word:
        return Tags(model, wish.batch_size)
    aggregation = wish.tagging["--aggregation"] or "words"
    return Entities(model, wish.batch_size, aggregation)
