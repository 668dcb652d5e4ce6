"""JSONL: one object on each line. And plain text: a text a line, or a paragraph."""

import itertools
import json

from kzoo.data.readers.rows import Origin, RowError
from kzoo.data.readers.streams import blemish, lines_of
from kzoo.data.readers.values import kind, shown


def json_rows(file, name, layout, broken):
    """Yield the `Row`s of a JSONL file; see `kzoo.data.readers.iterate`."""
    origin = Origin(name)
    lines = lines_of(file, name, layout, newline="\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = layout.row(_object(line, number, origin, layout), number, origin)
        except RowError as error:
            broken(error)
        else:
            yield row


def line_rows(file, name, layout, broken):
    """Yield every line as a text; an empty one is a text like any other."""
    origin = Origin(name)
    lines = lines_of(file, name, layout, newline="\n")
    for number, line in enumerate(lines, start=1):
        error = blemish(line, number, origin, layout)
        if error is None:
            text = line.removesuffix("\n").removesuffix("\r")
            yield layout.row({layout.text: text}, number, origin)
        else:
            broken(error)


def paragraph_rows(file, name, layout, broken):
    """Yield the lines up to an empty one as a text; one with a broken line is broken.

    The line breaks within a text are kept, and it is said to be in its first line.
    """
    origin = Origin(name)
    text, first, error = [], None, None
    lines = itertools.chain(lines_of(file, name, layout, newline="\n"), [""])
    for number, line in enumerate(lines, start=1):
        error = error or blemish(line, number, origin, layout)
        if line.strip():
            first = first or number
            text.append(line.removesuffix("\n").removesuffix("\r"))
        elif text:
            if error is None:
                yield layout.row({layout.text: "\n".join(text)}, first, origin)
            else:
                broken(error)
            text, first, error = [], None, None


def _object(line, number, origin, layout):
    error = blemish(line, number, origin, layout)
    if error is not None:
        raise error
    try:
        values = json.loads(line.removesuffix("\n"), object_pairs_hook=_distinct)
    except _Twice as twice:
        raise RowError(
            origin,
            number,
            f'the object has the key "{shown(str(twice))}" twice; keep one of them.',
        ) from None
    except (ValueError, RecursionError) as error:
        raise RowError(
            origin,
            number,
            f"this is not JSON ({error}); JSONL has one object on each line.",
        ) from None
    if not isinstance(values, dict):
        raise RowError(
            origin,
            number,
            f"the line holds {kind(values)}, not an object like "
            f'{{"{layout.text}": "…"}}.',
        )
    for key, column in layout.wanted(values):
        if column not in values:
            absent = layout.absent(key, column, values, "key")
            raise RowError(origin, number, f"the object has {absent}")
    return values


class _Twice(Exception):
    """A key that an object has twice; JSON's readers differ in which one counts."""


def _distinct(pairs):
    values = dict(pairs)
    if len(values) != len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for name in names if names.count(name) > 1))
    return values
