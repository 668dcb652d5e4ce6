"""How summaries that are measured are written and scored: options of two commands."""

import contextlib

import click
from kzoo_recipes import KzooError

from .generation import generation_options, in_options, option_of, told_settings

ROUGE = ("rouge_tokenizer", "stemmer")
NAMES = {**{name: option_of(name) for name in ROUGE}, "every_row": "--predictions"}


def summary_options(command):
    """How a summarizer writes, and how ROUGE is computed."""
    for option in (
        click.option(
            "--stemmer/--no-stemmer",
            default=None,
            help="Of a summarizer: whether ROUGE takes words by their stems, by "
            "Porter's rules for English; on with rouge-score's tokenizer.",
        ),
        click.option(
            "--rouge-tokenizer",
            type=click.Choice(("rouge-score", "unicode")),
            help="Of a summarizer: what ROUGE takes for words, runs of a–z and 0–9 or "
            "those of any script; as in the run's recipe if left out.",
        ),
        generation_options(several=False),
    ):
        command = option(command)
    return command


def told_of_summaries(options):
    """Take what was told of summaries out of a command's options.

    Returns:
        dict, as `kzoo.evaluate` takes it; of what was told only.
    """
    generation = told_settings(options)
    rouge = {name: options.pop(name) for name in ROUGE}
    told = {name: value for name, value in rouge.items() if value is not None}
    return {"generation": generation, **told} if generation else told


@contextlib.contextmanager
def errors_name_options():
    """Sentences about fields are about the options that a person typed."""
    try:
        yield
    except KzooError as error:
        text = in_options(str(error))
        for name, option in NAMES.items():
            text = text.replace(f"`{name}`", option)
        raise KzooError(text) from None
