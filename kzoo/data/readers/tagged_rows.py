"""Sentences of tagged words, all in memory."""

import dataclasses
from typing import NamedTuple

from kzoo.data.readers.rows import Origin, place
from kzoo.data.tagged_notes import notes_of


class Sentences(NamedTuple):
    """Sentences as files have them, their tags not yet looked at.

    Attributes:
        path: str. What errors call the whole.
        found: list of `Sentence`.
    """

    path: str
    found: list

    def __len__(self):
        return len(self.found)


@dataclasses.dataclass(frozen=True)
class TaggedRows:
    """Words and their tags, a sentence or a document a row, in the order of the files.

    Attributes:
        words: list of lists of str, none of them empty.
        tags: list of lists of str, one for each word, in `scheme`. `None` when none
            were asked for.
        texts: list of str, as written; where files have words alone, those joined by
            one space.
        spans: list of lists of `(start, end)`: where each word stands in its text, in
            characters.
        lines: list of lists of int: the line (or row) of each word, from 1.
        path: str. What errors call the whole.
        scheme: str. What `tags` are written in.
        notes: list of str. What was found and done on the way, counted; each goes on
            where `path: ` ends.
        origins: list of `Origin`, one for each row. `None` where all are lines of the
            file `path`.
        weights: list of float, finite, none negative. `None` when no weight column was
            asked for: all count alike.
        hashed: bool. Whether they were split off the training rows by a hash.
        remarks: list of tuples of `Remark`, one tuple for each row, which `notes`
            count. `None` where there are none.
        source_scheme: str. What the files are written in. `None` if nothing is known.
    """

    words: list
    tags: list | None
    texts: list
    spans: list
    lines: list
    path: str
    scheme: str = "iob2"
    notes: list = dataclasses.field(default_factory=list)
    origins: list | None = None
    weights: list | None = None
    hashed: bool = False
    remarks: list | None = None
    source_scheme: str | None = None

    def __len__(self):
        return len(self.texts)

    def where(self, row, word=None):
        """`FILE, line N`, for errors about a row, or about one of its words."""
        lines = self.lines[row]
        at = 0 if word is None else min(word, len(lines) - 1)
        return place(self.origin(row), lines[at])

    def origin(self, row):
        """The `Origin` of a row."""
        return Origin(self.path) if self.origins is None else self.origins[row]

    def take(self, rows):
        """The rows at these positions."""
        names = ("words", "tags", "texts", "spans", "lines", "origins", "weights")
        kept = {
            name: [values[row] for row in rows]
            for name in (*names, "remarks")
            if (values := getattr(self, name)) is not None
        }
        if "remarks" in kept:
            kept["notes"] = notes_of(kept["remarks"], self.source_scheme, self.scheme)
        return dataclasses.replace(self, **kept)
