"""What a reader gives: rows one at a time, or all of them together."""

import dataclasses
from typing import NamedTuple

from kzoo_recipes import KzooError


class Origin(NamedTuple):
    """Where rows come from: what errors call it, and what they count in it."""

    path: str
    unit: str = "line"


class Row(NamedTuple):
    """One text with its label.

    Attributes:
        text: str, as written; may be empty.
        label: str without white space around it, never empty; a sorted tuple of such
            if a row has any number. `None` when no label column was asked for.
        weight: float, finite, not negative. `None` when no weight column was asked
            for.
        line: int, the line or row it starts in, from 1.
        origin: `Origin`.
        kept: dict from the columns of `Layout.keep` to what stands in them, or `None`.
        image: str, the path of its picture, or `None` when no pictures were asked for.
    """

    text: str
    label: str | tuple | None
    weight: float | None
    line: int
    origin: Origin
    kept: dict | None = None
    image: str | None = None

    @property
    def where(self):
        """`FILE, line N`, for errors about the row."""
        return place(self.origin, self.line)


class RowError(KzooError):
    """One row that cannot be read; the rows after it can.

    Args:
        origin: `Origin`.
        line: int. The line or row it starts in, from 1.
        complaint: str. What is wrong, and what to do.
    """

    def __init__(self, origin, line, complaint):
        super().__init__(f"{place(origin, line)}: {complaint}")
        self.origin, self.line = origin, line


def place(origin, line):
    """`FILE, line N`."""
    return f"{origin.path}, {origin.unit} {line}"


@dataclasses.dataclass(frozen=True)
class Rows:
    """Texts and their labels, in the order of the files.

    Attributes:
        texts: list of str, as written; may be empty strings.
        labels: list of str, without white space around them, never empty; of sorted
            tuples of such if a row has any number. `None` when no label column was
            asked for.
        lines: list of int, the line (or row) each row starts in, from 1.
        path: str. What errors call the whole.
        weights: list of float, finite, none negative. `None` when no weight column
            was asked for: all count alike.
        origins: list of `Origin`, one for each row. `None` where all are lines of
            the file `path`.
        hashed: bool. Whether they were split off the training rows by a hash.
    """

    texts: list
    labels: list | None
    lines: list
    path: str
    weights: list | None = None
    origins: list | None = None
    hashed: bool = False

    def __len__(self):
        return len(self.texts)

    def where(self, row):
        """`FILE, line N`, for errors about a row."""
        origin = Origin(self.path) if self.origins is None else self.origins[row]
        return place(origin, self.lines[row])

    @property
    def split_by(self):
        """What decides where a row falls when rows are split."""
        return self.texts

    def take(self, rows):
        """The rows at these positions."""
        kept = {
            name: [values[row] for row in rows]
            for name in ("texts", "labels", "lines", "weights", "origins")
            if (values := getattr(self, name)) is not None
        }
        return dataclasses.replace(self, **kept)

    def renamed(self, names):
        """The rows with labels renamed: `names` from old to new; others stay."""
        if not names or self.labels is None:
            return self
        labels = [_renamed(label, names) for label in self.labels]
        return dataclasses.replace(self, labels=labels)


def _renamed(label, names):
    if isinstance(label, tuple):
        return tuple(sorted({names.get(one, one) for one in label}))
    return names.get(label, label)


def gathered(rows, path, layout):
    """An iterable of `Row` as `Rows`."""
    texts, lines, origins = [], [], []
    labels = None if layout.label is None else []
    weights = None if layout.weight is None else []
    for row in rows:
        texts.append(row.text)
        lines.append(row.line)
        origins.append(row.origin)
        if labels is not None:
            labels.append(row.label)
        if weights is not None:
            weights.append(row.weight)
    plain = all(origin == (path, "line") for origin in set(origins))
    return Rows(texts, labels, lines, path, weights, None if plain else origins)
