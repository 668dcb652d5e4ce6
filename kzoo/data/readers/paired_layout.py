"""How documents with summaries are written."""

import dataclasses

from kzoo_recipes import nearest

from kzoo.data.readers.layout import Layout
from kzoo.data.readers.paired_rows import Pairs
from kzoo.data.readers.pairs import make_pair


@dataclasses.dataclass(frozen=True)
class PairedLayout(Layout):
    """How documents with summaries are written.

    Attributes:
        text: str. `document` by the name that other texts have.
        label: `None`; a document has no label.
        document: str. The column of the documents: strings, or lists of strings, which
            are joined by a space.
        summary: str. The column of the summaries: strings, or lists of strings, of
            which the first is learnt and all are references.
        references: str. The column of further summaries that are as good; `None` reads
            none. Rows and files without it have none.
        paired: bool. Whether summaries are asked for. Without, a row is a document
            alone.
        some_references: bool. Whether rows of which none has references are refused.
    """

    text: str = dataclasses.field(init=False, default="document")
    label: str | None = None
    document: str = "document"
    summary: str = "summary"
    references: str | None = None
    paired: bool = True
    some_references: bool = True

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "text", self.document)

    @classmethod
    def of(cls, data):
        """The layout that the `[data]` of a summarizer's recipe describes."""
        names = (
            *("document", "summary", "references", "weight"),
            *("format", "encoding", "delimiter", "streaming"),
        )
        return cls(**{name: getattr(data, name) for name in names})

    @classmethod
    def like(cls, data, file, told):
        """As `Layout.like`; a `text` that is told is the document."""
        told = dict(told)
        if "text" in told:
            told["document"] = told.pop("text")
        layout = super().like(data, file, told)
        return dataclasses.replace(layout, some_references="references" in told)

    @property
    def columns(self):
        """Key of `[data]` to the column it names, for columns that must be there."""
        keys = ("document", "summary", "weight") if self.paired else ("document",)
        named = {key: getattr(self, key) for key in keys}
        return {key: name for key, name in named.items() if name is not None}

    @property
    def formats(self):
        """The formats that rows of this kind are written in."""
        own = ("jsonl", "csv", "tsv", "parquet")
        return own if self.paired else (*own, "lines")

    def unfit(self, format):
        """Why rows of this kind are not written in a format that others are."""
        why = (
            "has a tag for each word, which a token tagger learns"
            if format == "conll"
            else "has no place for summaries"
        )
        return (
            f"{format} {why}; if this is a table of documents for all its name, say so "
            "with"
        )

    def wanted(self, names):
        """The columns to read, of all that there are, as pairs of key and column."""
        pairs = [*self.columns.items()]
        if self.paired and self.references is not None:
            others = [name for name in names if name not in self.columns.values()]
            if self.references in others or nearest(self.references, others):
                pairs.append(("references", self.references))
        return [*pairs, *(("keep", column) for column in self.kept(names))]

    def row(self, values, line, origin):
        """The `Pair` of a mapping from columns to values, or a `RowError`."""
        return make_pair(values, self, line, origin)

    def gathered(self, rows, path):
        """An iterable of `Pair`, all in memory."""
        return Pairs(path, list(rows))
