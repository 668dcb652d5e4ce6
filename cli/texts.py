"""The texts to predict: from arguments, files or stdin, one at a time."""

import io
import os
import sys
from pathlib import Path
from typing import NamedTuple

import click
from kzoo_recipes import ClassifierData, KzooError
from kzoo_recipes.characters import is_unicode
from kzoo_recipes.sources import TABLES, holds_rows, is_hub

EVERY = "all"  # said to --keep


class Text(NamedTuple):
    """One text to predict.

    Attributes:
        text: str.
        place: dict. Where it stands: nothing, its line, or its file and its line.
        kept: dict. The values of further columns.
    """

    text: str
    place: dict
    kept: dict


def check_source(arguments, files, layout):
    """Refuse what can be refused before Keras starts."""
    if arguments and files:
        raise click.UsageError("give texts or --input, not both.")
    if not arguments and not files and _nothing_to_read():
        raise click.UsageError("there is no text; name some, or a file with --input.")
    for file in files:
        named = file == "-" or is_hub(file) or _is_pattern(file)
        if not named and not Path(file).exists():
            raise KzooError(f"{file}: there is no such file.")
    for option, key in (("--text", "text"), ("--keep", "keep")):
        if key in layout and not all(is_table(file, layout) for file in files or "-"):
            raise click.UsageError(
                f"{option} names a column of {', '.join(TABLES)} files."
            )
    if arguments:
        for number, text in enumerate(arguments, 1):
            if not is_unicode(text):
                raise KzooError(f"text {number} of the arguments is not Unicode text.")


def texts_from(arguments, files, layout, broken, idle, data=None):
    """Yield every `Text`, in order; an empty line is a text like any other.

    Files are read by `kzoo.data`, so kzoo must have been started.

    Args:
        arguments: sequence of str.
        files: sequence of str. Paths or patterns; `"-"` or none is stdin.
        layout: dict. What was said of the files; fields of `kzoo.data.Layout`.
        broken: function of a `kzoo.data.readers.RowError`, called for every row that
            cannot be read.
        idle: function, called before stdin would have to be waited for.
        data: `kzoo_recipes.Data`. How the model's own files are written: what `layout`
            does not say of a table is as there.
    """
    if arguments:
        yield from (Text(text, {}, {}) for text in arguments)
        return
    from kzoo.data.readers import Layout, iterate

    lines = Layout(label=None, option="--{flag} ", **{**layout, "format": "lines"})
    several = _several(files)
    for file in files or ("-",):
        own = lines
        if is_table(file, layout):
            own = Layout.like(data or ClassifierData(), file, {"label": None, **layout})
        rows = iterate(_stdin(idle) if file == "-" else file, own, broken)
        for row in rows:
            place = {row.origin.unit: row.line}
            if several:
                place = {"file": _written(row.origin.path), **place}
            yield Text(row.text, place, row.kept or {})


def place_of(files):
    """What the place of a text in `files` would be made of, if one had a text."""
    return (*(["file"] if _several(files) else []), "line")


def _several(files):
    return len(files) > 1 or any(map(_is_pattern, files))


def is_table(file, layout):
    """Whether the file has columns, rather than a text on each line."""
    return "format" in layout or is_hub(file) or holds_rows(file)


def _written(path):
    """A path as a file of text can hold it: odd bytes of its name become U+FFFD."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _is_pattern(file):
    if is_hub(file):
        return False  # `#train[:10]` is part of a split.
    return not Path(file).exists() and any(sign in file for sign in "*?[")


def _nothing_to_read():
    """Whether stdin is closed, or a person who was not asked for anything."""
    return sys.stdin is None or click.get_text_stream("stdin").isatty()


def _stdin(idle):
    stream = click.get_binary_stream("stdin")
    try:
        stream.fileno()
    except (OSError, AttributeError):
        return stream  # Not the system's: there is nothing to wait for.
    return io.BufferedReader(_Patient(stream, idle), 1 << 16)


class _Patient(io.RawIOBase):
    """Standard input that says when it has nothing more to give for now."""

    name = "stdin"

    def __init__(self, stream, idle):
        self._number, self._idle = stream.fileno(), idle

    def readable(self):
        return True

    def readinto(self, space):
        if not self._ready():
            self._idle()
        data = os.read(self._number, len(space))
        space[: len(data)] = data
        return len(data)

    def _ready(self):
        import select

        try:
            return bool(select.select([self._number], [], [], 0)[0])
        except OSError:  # Windows asks sockets only; answers come chunk by chunk.
            return True
