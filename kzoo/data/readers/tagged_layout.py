"""How words with tags are written."""

import dataclasses

from kzoo_recipes import nearest

from kzoo.data.readers.layout import Layout
from kzoo.data.readers.sentences import make_sentence
from kzoo.data.readers.tagged_rows import Sentences
from kzoo.data.readers.values import the_columns

WORDS = ("tokens", "words")  # what columns are called unless one says otherwise
TAGS = ("tags", "ner_tags")
USUAL_TEXT = "text"


@dataclasses.dataclass(frozen=True)
class TaggedLayout(Layout):
    """How words with tags are written, and what is to become of the tags.

    Attributes:
        label: `None`; a text has no label of its own.
        words: str or int. The column of the words, by name or by number from 1. `None`
            is `tokens` (or `words`), and the first of CoNLL.
        tags: str or int. The column of the tags, likewise. `None` is `tags` or
            `ner_tags`, and the last of CoNLL.
        columns: tuple of str. Names of CoNLL's columns, the first first. `None` leaves
            them numbers; those of CoNLL-U have names anyway.
        spans: str. The column of the entities of a text that is not split into words:
            lists of `{"start", "end", "label"}`, in characters.
        scheme: str. What tags are written in; `"auto"` finds it out.
        learn_scheme: str. What tags are converted to.
        invalid: `"repair"` or `"refuse"`: what becomes of tags that cannot stand where
            they stand.
        tagged: bool. Whether tags are asked for. Without, a row may also be a text, or
            words, alone.
    """

    label: str | None = None
    words: str | int | None = None
    tags: str | int | None = None
    columns: tuple | None = None
    spans: str = "spans"
    scheme: str = "auto"
    learn_scheme: str = "iob2"
    invalid: str = "repair"
    tagged: bool = True

    @classmethod
    def of(cls, data):
        """The layout that the `[data]` of a tagger's recipe describes."""
        names = (
            *("text", "weight", "format", "encoding", "streaming", "words", "tags"),
            *("columns", "spans", "scheme", "invalid"),
        )
        learned = data.learn_scheme or "iob2"
        if data.scheme == "plain":
            learned = "plain"
        return cls(
            **{name: getattr(data, name) for name in names}, learn_scheme=learned
        )

    @property
    def formats(self):
        """The formats that rows of this kind are written in."""
        own = ("conll", "jsonl", "parquet")
        return own if self.tagged else (*own, "csv", "tsv", "lines")

    def unfit(self, format):
        """Why tags are not written in a format that other rows are."""
        return (
            f"{format} has no place for the tag of each word; if a word and its tag "
            "stand on each line, say so with"
        )

    def wanted(self, names):
        """The columns to read, of all that there are, as pairs of key and column."""
        pairs = self._content(names)
        if self.weight is not None:
            pairs.append(("weight", self.weight))
        return [*pairs, *(("keep", column) for column in self.kept(names))]

    def _content(self, names):
        """The columns of words and tags; or of a text and its spans."""
        words = _chosen(self.words, WORDS, names)
        as_text = words not in names and self.words is None and self._a_text_in(names)
        if as_text and not self.tagged:
            return [("text", self.text)]
        if as_text and self.tags is None:
            return [("text", self.text), ("spans", self.spans)]
        pairs = [("words", words)]
        if self.tagged:
            pairs.append(("tags", _chosen(self.tags, TAGS, names)))
        if self.text in names:
            pairs.append(("text", self.text))
        return pairs

    def _a_text_in(self, names):
        """Whether rows are texts: one is there, or was named, or nearly has the name.

        So is it where spans, which only texts have, are there.
        """
        if self.text in names:
            return True
        told = self.text != USUAL_TEXT or self.spans in names
        near = nearest(self.text, names) and not any(nearest(w, names) for w in WORDS)
        return self.tags is None and bool(told or near)

    def absent(self, key, column, names, what="column"):
        """As `Layout.absent`; of rows with neither words nor a text, both are told."""
        usual = self.words is None and self.text not in names
        if key != "words" or not usual or any(nearest(one, names) for one in WORDS):
            return super().absent(key, column, names, what)
        value = what.upper()
        return (
            f'no {what} "{column}", a list of words, and no "{self.text}", a text; '
            f"{the_columns(names, what + 's')}; choose one with "
            f"{self.ask('words', value)} or {self.ask('text', value)}."
        )

    def row(self, values, line, origin):
        """The `Sentence` of a mapping from columns to values, or a `RowError`."""
        return make_sentence(values, self, line, origin)

    def gathered(self, rows, path):
        """An iterable of `Sentence`, all in memory."""
        return Sentences(path, list(rows))

    def kept(self, names):
        """The columns to hand on, of all that there are."""
        if self.keep != ("all",):
            return list(self.keep)
        content = {column for _, column in self._content(names)}
        return [name for name in names if name not in content]


def _chosen(column, usual, names):
    """The column of this name; or the first of the usual ones that is there."""
    if column is not None:
        return str(column)
    return next((name for name in usual if name in names), usual[0])
