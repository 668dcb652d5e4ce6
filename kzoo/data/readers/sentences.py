"""Words with their tags, from a row of tokens or from a text with spans."""

import itertools
from typing import NamedTuple

from kzoo.data.readers.rows import Origin, RowError, place
from kzoo.data.readers.segments import located, trimmed, words_at
from kzoo.data.readers.values import kept_of, kind, shown, text_of, weight_of, whole
from kzoo.data.schemes import written

SPELT = "iob2"  # What spans become; any scheme that keeps neighbours apart would do.


class Remark(NamedTuple):
    """What a reader did with one place of a file, to be counted and shown.

    Attributes:
        kind: str, a key of `kzoo.data.tagged_notes.KINDS`.
        line: int, from 1.
        detail: str. What stood there.
    """

    kind: str
    line: int
    detail: str = ""


class Sentence(NamedTuple):
    """One text as words, with a tag for each.

    Attributes:
        text: str, as written; of rows that have words alone, those joined by a space.
        words: list of str, none of them empty. `None` where the row has a text and no
            one asked for tags.
        tags: list of str, or `None` when not asked for.
        spans: list of `(start, end)`, characters of each word in `text`, or `None`.
        lines: list of int, the line of each word, from 1.
        line: int, the line or row it starts in, from 1.
        origin: `Origin`.
        weight: float, finite, not negative. `None` when no weight column was asked for.
        kept: dict from the columns of `Layout.keep` to what stands in them, or `None`.
        scheme: str. What `tags` are written in, where that is known; else `None`.
        remarks: tuple of `Remark`.
    """

    text: str
    words: list | None
    tags: list | None
    spans: list | None
    lines: list
    line: int
    origin: Origin
    weight: float | None = None
    kept: dict | None = None
    scheme: str | None = None
    remarks: tuple = ()

    @property
    def where(self):
        """`FILE, line N`, for errors about the sentence."""
        return place(self.origin, self.line)


def spans_of(words):
    """Where words stand in the text that a space between each two makes of them."""
    spans, start = [], 0
    for word in words:
        spans.append((start, start + len(word)))
        start += len(word) + 1
    return spans


def make_sentence(values, layout, line, origin):
    """The `Sentence` of a mapping from columns to values.

    Raises:
        RowError: if a value cannot be what its column stands for.
    """

    def fail(complaint):
        return RowError(origin, line, complaint)

    columns = dict(layout.wanted(values))
    weight = kept = None
    if "weight" in columns:
        weight = weight_of(values[columns["weight"]], columns["weight"], fail)
    if layout.keep:
        kept = kept_of(values, layout, fail)
    of_row = (line, origin, weight, kept)
    if "words" in columns:
        return _of_words(values, columns, layout, of_row, fail)
    text = text_of(values[columns["text"]], columns["text"], fail)
    if "spans" not in columns:
        return Sentence(text, None, None, None, [], *of_row)
    return _of_spans(text, values[columns["spans"]], columns["spans"], of_row, fail)


def _of_words(values, columns, layout, of_row, fail):
    line, name = of_row[0], columns["words"]
    words = _strings(values[name], name, "word", fail)
    tags = None
    if "tags" in columns:
        tags = _strings(values[columns["tags"]], columns["tags"], "tag", fail)
        tags = [tag.strip() for tag in tags]
        if len(tags) != len(words):
            raise fail(
                f'"{name}" has {_count(len(words), "word")} and "{columns["tags"]}" '
                f"{_count(len(tags), 'tag')}; give each word one tag."
            )
    text, spans = " ".join(words), spans_of(words)
    given = values.get(layout.text)
    if isinstance(given, str) and (found := located(words, given)) is not None:
        text, spans = text_of(given, layout.text, fail), found
    return Sentence(text, words, tags, spans, [line] * len(words), *of_row)


def _strings(value, name, what, fail):
    if not isinstance(value, list | tuple):
        raise fail(f'"{name}" is {kind(value)}; {what}s must be a list of strings.')
    for number, one in enumerate(value, 1):
        if isinstance(one, int | float) and what == "tag":
            raise fail(
                f'{what} {number} in "{name}" is {kind(one)}; write the names of the '
                "tags, as numbers do not say what they stand for."
            )
        if not isinstance(one, str):
            raise fail(
                f'{what} {number} in "{name}" is {kind(one)}; a {what} must be a '
                "string."
            )
        if not (one.strip() if what == "tag" else one):
            raise fail(
                f'{what} {number} in "{name}" is empty; fill it in or remove it.'
            )
        whole(one, f'{what} {number} in "{name}"', fail)
    return list(value)


def _of_spans(text, value, name, of_row, fail):
    line, value = of_row[0], _objects(value)
    if not isinstance(value, list | tuple):
        raise fail(
            f'"{name}" is {kind(value)}; spans must be a list of objects like '
            '{"start": 0, "end": 5, "label": "person"}, [] if there are none.'
        )
    found, remarks = [], []
    for number, one in enumerate(value, 1):
        start, end, label = _span(one, f'span {number} in "{name}"', text, fail)
        start, end, cut = trimmed(text, start, end)
        if cut:
            remarks.append(Remark("trimmed", line, text[start:end]))
        found.append((start, end, label, number))
    found.sort()
    for one, other in itertools.pairwise(found):
        if other[0] < one[1]:
            raise fail(
                f'spans {one[3]} and {other[3]} in "{name}" overlap, '
                f'"{shown(text[one[0] : one[1]])}" and '
                f'"{shown(text[other[0] : other[1]])}"; a word has one tag, so keep '
                "one of them."
            )
    spans, split = words_at(text, [border for span in found for border in span[:2]])
    remarks += [Remark("split_word", line, word) for word in split]
    first = {start: word for word, (start, _) in enumerate(spans)}
    last = {end: word for word, (_, end) in enumerate(spans)}
    entities = [(lb, first[start], last[end] + 1) for start, end, lb, _ in found]
    words = [text[start:end] for start, end in spans]
    tags = written(entities, len(words), SPELT)
    lines = [line] * len(words)
    return Sentence(text, words, tags, spans, lines, *of_row, SPELT, tuple(remarks))


def _objects(value):
    """Spans as a list, also where `datasets` has a list of each of their parts."""
    keys = ("start", "end", "label")
    if not isinstance(value, dict) or not all(key in value for key in keys):
        return value
    parts = [value[key] for key in keys]
    lists = all(isinstance(part, list) for part in parts)
    lists = lists and len({len(part) for part in parts}) == 1
    return list(zip(*parts, strict=True)) if lists else value


def _span(one, called, text, fail):
    """Start, end and label of a span: an object, or a list of the three."""
    if isinstance(one, list | tuple) and len(one) == 3:
        one = dict(zip(("start", "end", "label"), one, strict=True))
    if not isinstance(one, dict):
        raise fail(
            f"{called} is {kind(one)}; a span must be an object like "
            '{"start": 0, "end": 5, "label": "person"}.'
        )
    for key in ("start", "end", "label"):
        if key not in one:
            raise fail(f'{called} has no "{key}"; a span has start, end and label.')
    start, end, label = one["start"], one["end"], one["label"]
    for key, number in (("start", start), ("end", end)):
        if not isinstance(number, int) or isinstance(number, bool):
            raise fail(f'the "{key}" of {called} is {kind(number)}; it must be whole.')
    if not isinstance(label, str) or not label.strip():
        said = "empty" if isinstance(label, str) else kind(label)
        raise fail(f"the label of {called} is {said}; it must be a string.")
    whole(label, f"the label of {called}", fail)
    if not 0 <= start <= end <= len(text):
        raise fail(
            f"{called} goes from {start} to {end}, which is not in the text of "
            f"{_count(len(text), 'character')}; count characters from 0, and end "
            "after the last one."
        )
    if not text[start:end].strip():
        raise fail(f"{called} from {start} to {end} holds no word; remove it.")
    return start, end, label.strip()


def _count(number, what):
    return f"1 {what}" if number == 1 else f"{number:,} {what}s"
