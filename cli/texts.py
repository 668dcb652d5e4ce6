"""The texts to predict: from arguments, a file or stdin."""

import sys
from pathlib import Path

import click
from kzoo_recipes import KzooError

TABLES = (".csv", ".tsv", ".jsonl", ".ndjson")


def texts_from(arguments, file, column):
    """Return the list of texts, in order; an empty line is a text like any other.

    Tables are read by `kzoo.data`, so kzoo must have been started.
    """
    if arguments:
        return _characters(arguments, "the arguments")
    if file and Path(file).suffix.lower() in TABLES:
        return _characters(_column_of(file, column or "text"), file)
    name = file if file and file != "-" else "stdin"
    try:
        with click.open_file(file or "-", "rb") as stream:
            return _lines(stream.read(), name)
    except OSError as error:
        raise KzooError(f"{name}: cannot be read: {error.strerror}.") from None


def check_source(arguments, file, column):
    """Refuse what can be refused before Keras starts."""
    if arguments and file:
        raise click.UsageError("give texts or --input, not both.")
    if not arguments and not file and _nothing_to_read():
        raise click.UsageError("there is no text; name some, or a file with --input.")
    if file and file != "-" and not Path(file).exists():
        raise KzooError(f"{file}: there is no such file.")
    if column and (not file or Path(file).suffix.lower() not in TABLES):
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


def _column_of(file, column):
    from kzoo.data import read

    try:
        return read(file, text=column, label=None).texts
    except KzooError as error:
        # The reader speaks of recipes; here the column is an option of its own.
        message = str(error).replace("--set data.text=", "--text ")
        raise KzooError(message) from None


def _lines(data, name):
    """Split at newlines only: a text may hold other separators of lines."""
    try:
        lines = data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise KzooError(f"{name}, line {line}: this is not UTF-8 text.") from None
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]
