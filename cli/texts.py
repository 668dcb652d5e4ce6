"""The texts to predict: from arguments, a file or stdin."""

import sys
from pathlib import Path

import click
from kzoo_recipes import KzooError

TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
PACKED = (".gz", ".bz2", ".xz")


def texts_from(arguments, file, layout):
    """Return the list of texts, in order; an empty line is a text like any other.

    Files are read by `kzoo.data`, so kzoo must have been started.

    Args:
        arguments: sequence of str.
        file: str. Path of a file; `"-"` or nothing is stdin.
        layout: dict. What was said of the file; fields of `kzoo.data.Layout`.
    """
    if arguments:
        return _characters(arguments, "the arguments")
    from kzoo.data import iterate

    stdin = not file or file == "-"
    if not is_table(file, layout):
        layout = {**layout, "format": "lines"}
    rows = iterate(
        click.get_binary_stream("stdin") if stdin else file,
        label=None,
        option="--{key} ",
        **layout,
    )
    return _characters([row.text for row in rows], "stdin" if stdin else file)


def is_table(file, layout):
    """Whether the file has columns, rather than a text on each line."""
    if "format" in layout:
        return True
    path = Path(file or "-")
    if path.suffix.lower() in PACKED:
        path = path.with_suffix("")
    return path.suffix.lower() in TABLES


def check_source(arguments, file, layout):
    """Refuse what can be refused before Keras starts."""
    if arguments and file:
        raise click.UsageError("give texts or --input, not both.")
    if not arguments and not file and _nothing_to_read():
        raise click.UsageError("there is no text; name some, or a file with --input.")
    if file and file != "-" and not Path(file).exists():
        raise KzooError(f"{file}: there is no such file.")
    if "text" in layout and not is_table(file, layout):
        raise click.UsageError(f"--text names a column of {', '.join(TABLES)} files.")


def _nothing_to_read():
    """Whether stdin is closed, or a person who was not asked for anything."""
    return sys.stdin is None or click.get_text_stream("stdin").isatty()


def _characters(texts, name):
    """Refuse halves of characters, as JSON escapes and bad bytes leave them."""
    for number, text in enumerate(texts, 1):
        if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
            raise KzooError(f"text {number} of {name} is not Unicode text.")
    return list(texts)
