"""What is found in documents and summaries before they train, and how it is said."""

from typing import NamedTuple

from kzoo.data.findings import Finding
from kzoo.data.readers.rows import Origin


class Place(NamedTuple):
    """A row where something was found, and what.

    Attributes:
        split: str.
        row: int. `None` if the row was left out.
        detail: str. What stands there, beside the place.
        text: str. What is shown in place of the document, if not `None`.
        origin: `Origin` of a row that was left out.
        line: int, from 1, of a row that was left out.
    """

    split: str
    row: int | None
    detail: str = ""
    text: str | None = None
    origin: Origin | None = None
    line: int | None = None


def empty(split, places):
    said = _count(len(places), "row has", "rows have")
    left = "is" if len(places) == 1 else "are"
    message = f"{split}: {said} an empty document and {left} left out"
    return Finding("empty", (split,), len(places), message, _alone(places))


def repeated(split, groups, count):
    said = _count(count, "row repeats", "rows repeat")
    message = f"{split}: {said} document and summary of an earlier one"
    return Finding("repeated", (split,), count, message, groups)


def several(split, groups):
    said = _count(len(groups), "document has", "documents have")
    message = (
        f"{split}: {said} several rows with different summaries; one row with "
        "data.references holds them all"
    )
    return Finding("several_summaries", (split,), len(groups), message, groups)


def shared(first, second, groups, count, pairs):
    said = _count(count, "document is", "documents are")
    alike = "" if not pairs else f", {pairs:,} of them with the same summary"
    message = f"{second}: {said} in {first} too{alike}"
    return Finding("shared", (first, second), count, message, groups)


def whole(split, places):
    said = _count(len(places), "summary is", "summaries are")
    message = f"{split}: {said} the whole document"
    return Finding("whole_document", (split,), len(places), message, _alone(places))


def longer(split, places, of):
    """Summaries of more words than their documents have."""
    said = _count(len(places), "summary has", "summaries have")
    message = f"{split}: {said} more words than the document"
    if 2 * len(places) > of:
        message += "; are data.document and data.summary each other's columns?"
    return Finding("longer", (split,), len(places), message, _alone(places))


def frequent(split, groups, count):
    said = _count(count, "summary stands", "summaries stand")
    message = f"{split}: {said} with several documents"
    return Finding("repeated_summary", (split,), count, message, groups, fault=False)


def cut(split, places, of, what, limit):
    """What is longer than the model reads or writes: documents, or summaries."""
    are = "is" if len(places) == 1 else "are"
    message = (
        f"{split}: {len(places):,} of {_all(of, what)} {are} longer than {limit:,} "
        f"tokens and {are} cut"
    )
    kind = "truncated" if what == "documents" else "truncated_summary"
    return Finding(kind, (split,), len(places), message, _alone(places), fault=False)


def unknown(split, places, of, what):
    holds = "holds" if len(places) == 1 else "hold"
    message = (
        f"{split}: {len(places):,} of {_all(of, what)} {holds} no token that is known"
    )
    return Finding(
        "unknown", (split,), len(places), message, _alone(places), fault=False
    )


def _alone(places):
    return [[place] for place in places]


def _count(count, one, several):
    return f"{count:,} {one if count == 1 else several}"


def _all(count, what):
    one = {"documents": "document", "summaries": "summary"}
    return f"1 {one[what]}" if count == 1 else f"{count:,} {what}"
