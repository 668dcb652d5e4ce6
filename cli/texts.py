"""The texts to predict: from arguments, files or stdin, one at a time."""

import io
import os
import sys
from pathlib import Path
from typing import NamedTuple

import click
from kzoo_recipes import (
    ClassifierData,
    ImageTextData,
    KzooError,
    SummarizerData,
    TextData,
)
from kzoo_recipes.characters import is_unicode
from kzoo_recipes.data_schema import TaggerData
from kzoo_recipes.sources import TABLES, TAGGED, holds_rows, holds_tags, is_csv, is_hub

EVERY = "all"  # said to --keep


class Text(NamedTuple):
    """One text to predict.

    Attributes:
        number: int, from 1.
        text: str.
        words: list of str, if it is known what they are; `text` is these, with a space
            between each two. Else `None`.
        place: dict. Where it stands: nothing, its line, or its file and its line.
        kept: dict. The values of further columns.
        image: str, the file of its picture, or `None`.
        pixels: float32 `(size, size, 3)`, the picture as the model reads it; or `None`
            where it was not read yet.
    """

    number: int
    text: str
    words: list | None
    place: dict
    kept: dict
    image: str | None = None
    pixels: object = None


def check_source(arguments, files, layout, whole=False):
    """Refuse what can be refused before Keras starts."""
    if arguments and files:
        raise click.UsageError("give texts or --input, not both.")
    if not arguments and not files and _nothing_to_read():
        raise click.UsageError("there is no text; name some, or a file with --input.")
    for file in files:
        named = file == "-" or is_hub(file) or _is_pattern(file)
        if not named and not Path(file).exists():
            raise KzooError(f"{file}: there is no such file.")
    for key in ("text", "words", "keep", "image"):
        if key in layout and not all(is_table(file, layout) for file in files or "-"):
            if key == "image" and not files:
                raise click.UsageError(
                    "--image FILE is the picture of texts that stand behind it; name "
                    "them, or rows with pictures of their own, with --input FILE."
                )
            endings = (*TABLES, *TAGGED) if key == "words" else TABLES
            raise click.UsageError(
                f"--{key} names a column of {', '.join(endings)} files."
            )
    for key in [*layout, *["whole"] * whole] if arguments else ():
        raise click.UsageError(
            f"--{key} says how a file is read, and the texts are given; leave it out."
        )
    for file in (files or "-") if whole else ():
        if is_table(file, layout):
            raise click.UsageError(
                f"--whole takes the lines of a file for one text, and {file} has rows."
            )
    if "text" in layout and all(holds_words(file, layout) for file in files or "-"):
        raise click.UsageError(
            "--text names a column of texts, and CoNLL has a word on each line; "
            "--words names their column."
        )
    csv = layout["format"] == "csv" if "format" in layout else any(map(is_csv, files))
    if "delimiter" in layout and not csv:
        raise click.UsageError("--delimiter is of use with CSV only.")
    if arguments:
        for number, text in enumerate(arguments, 1):
            if not is_unicode(text):
                raise KzooError(f"text {number} of the arguments is not Unicode text.")


def texts_from(
    arguments,
    files,
    layout,
    broken,
    idle,
    data=None,
    by_word=False,
    whole=False,
    image=None,
    eye=None,
):
    """Yield every `Text`, in order; an empty line is a text like any other.

    Files are read by `kzoo.data`, so kzoo must have been started.

    Args:
        arguments: sequence of str.
        files: sequence of str. Paths or patterns; `"-"` or none is stdin.
        layout: dict. What was said of the files; fields of `kzoo.data.Layout`.
        broken: function of a `kzoo.data.readers.RowError`, called for every row that
            cannot be read.
        idle: function, called before stdin would have to be waited for.
        data: the `[data]` of the model's recipe. How its own files are written: what
            `layout` does not say of a table is as there.
        by_word: bool. Whether a text is words with white space in between, if its file
            does not tell the words apart.
        whole: bool. Whether the lines of a file, or of stdin, are one text together.
        image: str. The picture of all `arguments`, or `None`.
        eye: `Eye`, which reads the pictures of rows.
    """
    if whole:
        rows = _whole_files(files, layout, broken)
    else:
        rows = _rows_from(arguments, files, layout, broken, idle, data, eye)
    for number, (text, words, place, kept, *seen) in enumerate(rows, start=1):
        if by_word and words is None:
            words = text.split()
        if words is not None:
            text = " ".join(words)
        yield Text(number, text, words, place, kept, *(seen or [image]))


def _rows_from(arguments, files, layout, broken, idle, data, eye):
    """Text, words or `None`, place, further columns and the picture of every row."""
    if arguments:
        yield from ((text, None, {}, {}) for text in arguments)
        return
    from kzoo.data.readers import RowError, iterate

    several = _several(files)
    for file in files or ("-",):
        rows = iterate(
            _stdin(idle) if file == "-" else file,
            _layout_of(file, layout, data),
            broken,
        )
        for row in rows:
            place = {row.origin.unit: row.line}
            if several:
                place = {"file": _written(row.origin.path), **place}
            picture, seen = getattr(row, "image", None), ()
            if picture is not None:
                try:
                    seen = picture, eye.see(picture)
                except KzooError as error:
                    broken(RowError(row.origin, row.line, str(error)))
                    continue
            words = getattr(row, "words", None)
            yield row.text, words, place, row.kept or {}, *seen


def _whole_files(files, layout, broken):
    """As `_rows_from`, of files that are a text each; one with a broken line is not."""
    from kzoo.data.readers import called, files_of, iterate

    several = _several(files)
    for file in files or ("-",):
        stdin = [click.get_binary_stream("stdin")] if file == "-" else None
        for part in stdin or files_of(file):
            torn = []
            rows = iterate(part, _layout_of(file, layout, None), torn.append)
            text = "\n".join(row.text for row in rows)
            if torn:
                broken(torn[0])
                continue
            place = {"file": _written(called(part))} if several else {}
            yield text, None, place, {}


def _layout_of(file, layout, data):
    """How a file is written: as said, else as the model's own are."""
    from kzoo.data.readers import Layout

    if not is_table(file, layout):
        lines = {"label": None, **layout, "format": "lines"}
        return Layout(option="--{flag} ", **lines)
    if isinstance(data, SummarizerData):
        from kzoo.data.pairs import PairedLayout

        return PairedLayout.like(data, file, {"paired": False, **layout})
    if isinstance(data, TextData):
        from kzoo.data.texts import TextLayout

        return TextLayout.like(data, file, layout)
    if isinstance(data, ImageTextData) or "image" in layout:
        from kzoo.data.pictured import PicturedLayout

        own = data if isinstance(data, ImageTextData) else ImageTextData()
        return PicturedLayout.like(own, file, {"label": None, **layout})
    tagged = isinstance(data, TaggerData) or "words" in layout
    if not tagged and not holds_words(file, layout):
        own = data or ClassifierData()
        return Layout.like(own, file, {"label": None, **layout})
    from kzoo.data.tagged import TaggedLayout

    own = data if isinstance(data, TaggerData) else TaggerData()
    return TaggedLayout.like(own, file, {"tagged": False, **layout})


def place_of(files, whole=False):
    """What the place of a text in `files` would be made of, if one had a text."""
    return (*(["file"] if _several(files) else []), *([] if whole else ["line"]))


def _several(files):
    return len(files) > 1 or any(map(_is_pattern, files))


def is_table(file, layout):
    """Whether the file has columns, rather than a text on each line."""
    told = "format" in layout or is_hub(file)
    return told or holds_rows(file) or holds_tags(file)


def holds_words(file, layout):
    """Whether the file is CoNLL, a word on each line."""
    if "format" in layout:
        return layout["format"] == "conll"
    return holds_tags(file)


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
