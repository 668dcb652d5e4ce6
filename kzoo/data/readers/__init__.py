"""Rows of text and label from files, one at a time or all together.

Whatever is wrong with a file is said with its name, its line and its column: a row is
never skipped, guessed or repaired in silence.
"""

import dataclasses
import functools
import glob
import io
from pathlib import Path

from kzoo_recipes import KzooError
from kzoo_recipes.sources import is_hub

from kzoo.data.readers.conll import conll_rows
from kzoo.data.readers.delimited import delimited_rows
from kzoo.data.readers.hub import hub_rows
from kzoo.data.readers.json_lines import json_rows, line_rows, paragraph_rows
from kzoo.data.readers.layout import Layout
from kzoo.data.readers.parquet import parquet_rows
from kzoo.data.readers.rows import Origin, Row, RowError, Rows
from kzoo.data.readers.streams import ENDINGS, opened

__all__ = [
    "Layout",
    "Origin",
    "Row",
    "RowError",
    "Rows",
    "called",
    "format_of",
    "iterate",
    "parse",
    "read",
]

WORDS_WITH_TAGS = (".conll", ".conllu", ".conllup", ".bio", ".iob", ".iob2")
FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    **dict.fromkeys(WORDS_WITH_TAGS, "conll"),
}
PARSERS = {
    "csv": delimited_rows,
    "tsv": functools.partial(delimited_rows, delimiter="\t"),
    "jsonl": json_rows,
    "parquet": parquet_rows,
    "lines": line_rows,
    "paragraphs": paragraph_rows,
    "conll": conll_rows,
}


def read(path, layout=None, **options):
    """All rows of files, in memory.

    Args:
        path: as for `iterate`.
        layout: `Layout`.
        **options: fields of the `Layout` to set, such as `text="body"`.

    Returns:
        `Rows`, at least one.

    Raises:
        KzooError: about the first row that cannot be read, or a file without rows.
    """
    layout = _layout(layout, options)
    name = called(path)
    rows = layout.gathered(iterate(path, layout), name)
    if not len(rows):
        raise KzooError(f"{name}: the file has no rows; give it at least one.")
    return rows


def iterate(path, layout=None, broken=None, **options):
    """Yield the rows of files one by one, in memory that does not grow with them.

    CSV is what Python's `csv` module and spreadsheets write: fields may stand in double
    quotes, may then hold commas and line breaks, and double a quote inside. TSV has the
    very same rules with tabs for commas. Both name their columns in the first line.
    JSONL has one object a line; integer and boolean labels become strings. Files packed
    by gzip, bzip2 or xz are unpacked on the way.

    Args:
        path: str or `Path` of a file; a pattern of files as in `data/*.csv.gz`, where
            `**` is any folders; a list of them, read one after the other, those of a
            pattern in the order of their names; `hf:ORG/NAME#SPLIT`, rows of the
            Hugging Face hub; or a binary stream, whose format the layout must say.
        layout: `Layout`.
        broken: function of a `RowError`, called for every row that cannot be read; the
            rows after it follow. `None` raises the first.
        **options: fields of the `Layout` to set, such as `text="body"`.

    Yields:
        `Row`.

    Raises:
        KzooError: if there is no such file, format or column, or a file is damaged.
    """
    layout = _layout(layout, options)
    for file in files_of(path):
        yield from _rows_of(file, called(file), layout, broken or refuse)


def parse(content, path, layout=None, **options):
    """`read`, for the bytes of a file called `path`."""
    layout = _layout(layout, {"format": "csv", **options})
    rows = _rows_of(io.BytesIO(content), path, layout, refuse)
    rows = layout.gathered(rows, path)
    if not len(rows):
        raise KzooError(f"{path}: the file has no rows; give it at least one.")
    return rows


def format_of(path):
    """The format that the ending of a file tells, or `None`."""
    path = Path(str(path))
    if path.suffix.lower() in ENDINGS:
        path = path.with_suffix("")
    return FORMATS.get(path.suffix.lower())


def files_of(path):
    """The files that a path, a pattern or a list of them stands for, in order."""
    if isinstance(path, list | tuple):
        return [file for part in path for file in files_of(part)]
    if (
        hasattr(path, "read")
        or is_hub(path)
        or not glob.has_magic(str(path))
        or Path(path).exists()
    ):
        return [path]
    found = sorted(glob.glob(str(path), recursive=True))
    found = [file for file in found if not Path(file).is_dir()]
    if not found:
        raise KzooError(f"{path}: no file matches this pattern.")
    return found


def called(path):
    """What errors call a path, a stream or a list of them."""
    if isinstance(path, list | tuple):
        more = f" and {len(path) - 3} more" if len(path) > 3 else ""
        return ", ".join(map(called, path[:3])) + more
    if hasattr(path, "read"):
        name = getattr(path, "name", None)
        return name.strip("<>") if isinstance(name, str) else "stdin"
    return str(path)


def _layout(layout, options):
    return dataclasses.replace(layout or Layout(), **options)


def _rows_of(file, name, layout, broken):
    if is_hub(file):
        return hub_rows(file, layout, broken)
    format = layout.format
    if format is None and not hasattr(file, "read"):
        format = format_of(file) or layout.otherwise
    if format not in layout.formats:
        with opened(file, name):  # What is not there needs no format.
            pass
        first, *others = [other for other in layout.formats if other != "lines"]
        why = "the ending does not tell the format; say which it is with"
        if format in PARSERS:
            why = layout.unfit(format)
        raise KzooError(
            f"{name}: {why} {layout.ask('format', first)} (or {', '.join(others)})."
        )
    return PARSERS[format](file, name, layout, broken)


def refuse(error):
    """What happens to a broken row unless one says otherwise."""
    raise error
