"""Documents and their summaries, all in memory."""

import dataclasses
from typing import NamedTuple

from kzoo.data.readers.rows import Origin, place


class Pairs(NamedTuple):
    """Pairs as files have them, those without a document too.

    Attributes:
        path: str. What errors call the whole.
        found: list of `Pair`.
    """

    path: str
    found: list

    def __len__(self):
        return len(self.found)


@dataclasses.dataclass(frozen=True)
class PairedRows:
    """Documents and their summaries, in the order of the files.

    Attributes:
        documents: list of str, as written, none of them empty.
        summaries: list of str, none of them empty: what is learnt.
        references: list of lists of str, none of them empty: what a summary is measured
            against, the row's own first.
        lines: list of int, the line (or row) each row starts in, from 1.
        path: str. What errors call the whole.
        notes: list of str. What was found and done on the way, counted; each goes on
            where `path: ` ends.
        weights: list of float, finite, none negative. `None` when no weight column was
            asked for: all count alike.
        origins: list of `Origin`, one for each row. `None` where all are lines of the
            file `path`.
        hashed: bool. Whether they were split off the training rows by a hash.
        empty: list of `(Origin, line)`: the rows that have no document and were left
            out.
    """

    documents: list
    summaries: list
    references: list
    lines: list
    path: str
    notes: list = dataclasses.field(default_factory=list)
    weights: list | None = None
    origins: list | None = None
    hashed: bool = False
    empty: list = dataclasses.field(default_factory=list)

    def __len__(self):
        return len(self.documents)

    @property
    def texts(self):
        """The documents, by the name that the texts of other rows have."""
        return self.documents

    def where(self, row):
        """`FILE, line N`, for errors about a row."""
        return place(self.origin(row), self.lines[row])

    def origin(self, row):
        """The `Origin` of a row."""
        return Origin(self.path) if self.origins is None else self.origins[row]

    def take(self, rows):
        """The rows at these positions. What was said of the whole is said no more."""
        names = ("documents", "summaries", "references", "lines", "weights", "origins")
        kept = {
            name: [values[row] for row in rows]
            for name in names
            if (values := getattr(self, name)) is not None
        }
        return dataclasses.replace(self, **kept, notes=[], empty=[])
