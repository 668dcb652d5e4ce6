"""A document with its summary, and with the other summaries that are as good."""

import unicodedata
from typing import NamedTuple

from kzoo.data.readers.rows import Origin, RowError, place
from kzoo.data.readers.values import kept_of, kind, weight_of, whole

UNSEEN = ("Zs", "Zl", "Zp", "Cc", "Cf")


class Pair(NamedTuple):
    """One document with its summary.

    Attributes:
        text: str, the document as written; may be empty.
        summary: str without white space around it, never empty. `None` when not asked
            for.
        references: list of str, the summary first. `None` when not asked for.
        weight: float, finite, not negative. `None` when no weight column was asked for.
        line: int, the line or row it starts in, from 1.
        origin: `Origin`.
        kept: dict from the columns of `Layout.keep` to what stands in them, or `None`.
        referenced: bool. Whether the column of references says something of it.
    """

    text: str
    summary: str | None
    references: list | None
    weight: float | None
    line: int
    origin: Origin
    kept: dict | None = None
    referenced: bool = False

    @property
    def where(self):
        """`FILE, line N`, for errors about the row."""
        return place(self.origin, self.line)


def make_pair(values, layout, line, origin):
    """The `Pair` of a mapping from columns to values.

    Raises:
        RowError: if a value cannot be what its column stands for, or if a summary or a
            reference is empty.
    """

    def fail(complaint):
        return RowError(origin, line, complaint)

    columns = dict(layout.wanted(values))
    summary = references = weight = kept = None
    referenced = False
    document = _document(values[layout.document], layout.document, fail)
    if "summary" in columns:
        references = _summaries(values[layout.summary], layout.summary, fail)
        summary = references[0]
    if "references" in columns:
        others = _references(values[layout.references], layout.references, fail)
        referenced = bool(others)
        references += _without(others, summary)
    if "weight" in columns:
        weight = weight_of(values[layout.weight], layout.weight, fail)
    if layout.keep:
        kept = kept_of(values, layout, fail)
    return Pair(document, summary, references, weight, line, origin, kept, referenced)


def is_blank(text):
    """Whether nothing is to be seen in a text: white space, invisible characters."""
    return all(unicodedata.category(character) in UNSEEN for character in text)


def _document(value, name, fail):
    """A text; of a list, as of sentences, all of them with a space in between."""
    if isinstance(value, list | tuple):
        value = " ".join(_strings(value, name, "part", fail))
    if isinstance(value, str):
        return whole(value, f'the document in "{name}"', fail)
    raise fail(
        f'"{name}" is {kind(value)}; a document must be a string, or a list of strings '
        "that are joined."
    )


def _summaries(value, name, fail):
    """The summaries in a column, at least one: a string, or a list of them."""
    if isinstance(value, str):
        return [_summary(value, f'the summary in "{name}"', fail)]
    if not isinstance(value, list | tuple):
        raise fail(
            f'"{name}" is {kind(value)}; a summary must be a string, or a list of '
            "strings of which the first is learnt."
        )
    if not value:
        raise fail(f'"{name}" is an empty list; give a summary or remove the row.')
    return [
        _summary(one, f'summary {number} in "{name}"', fail)
        for number, one in enumerate(_strings(value, name, "summary", fail), 1)
    ]


def _references(value, name, fail):
    """Further summaries: a list, or one. Null, `[]` and an empty cell are none."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return []
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple):
        raise fail(f'"{name}" is {kind(value)}; references must be a list of strings.')
    return [
        _summary(one, f'reference {number} in "{name}"', fail)
        for number, one in enumerate(_strings(value, name, "reference", fail), 1)
    ]


def _summary(text, called, fail):
    if is_blank(text):
        raise fail(f"{called} is empty; fill it in or remove the row.")
    return whole(text.strip(), called, fail)


def _strings(values, name, what, fail):
    for number, one in enumerate(values, 1):
        if not isinstance(one, str):
            raise fail(
                f'{what} {number} in "{name}" is {kind(one)}; a {what} must be a '
                "string."
            )
    return values


def _without(references, summary):
    """The references, from which the summary, if it is one of them, is left out."""
    place = references.index(summary) if summary in references else len(references)
    return references[:place] + references[place + 1 :]
