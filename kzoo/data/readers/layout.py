"""How rows are written: which columns, in which format and encoding."""

import dataclasses
from pathlib import Path

from kzoo_recipes import KzooError, did_you_mean
from kzoo_recipes.encodings import ENCODINGS, fit_delimiter, known_encoding

from kzoo.data.readers.rows import gathered
from kzoo.data.readers.values import make_row, no_column

BY_RECIPE = "--set data.{key}="


@dataclasses.dataclass(frozen=True)
class Layout:
    """How rows are written, and how a person would say so.

    Attributes:
        text: str. The column of the texts.
        label: str. The column of the labels; `None` reads texts alone.
        multi_label: bool. Whether a row has any number of labels, not just one.
        label_separator: str. What stands between the labels of a row that are not
            written as a list.
        weight: str. The column of the weights; `None` reads none.
        format: `"csv"`, `"tsv"`, `"jsonl"`, `"parquet"`, or `"lines"`, a text on each
            line. `None` goes by each file's ending.
        encoding: str. What Python calls the encoding of text files. A byte order mark
            before UTF-8 is passed over.
        delimiter: str. The character between the fields of CSV.
        streaming: bool. Whether rows of the Hugging Face hub are read as they come,
            without keeping a copy on disk.
        keep: tuple of str. Further columns to hand on with each row; `("all",)` is
            every one but the text's.
        option: str. How one sets a key here, for errors: `"--{flag} "` on a command
            line with an option for each.
    """

    text: str = "text"
    label: str | None = "label"
    multi_label: bool = False
    label_separator: str | None = None
    weight: str | None = None
    format: str | None = None
    encoding: str = "utf-8"
    delimiter: str = ","
    streaming: bool = False
    keep: tuple = ()
    option: str = BY_RECIPE

    def __post_init__(self):
        if not known_encoding(self.encoding):
            raise KzooError(
                f'there is no encoding "{self.encoding}"'
                f"{did_you_mean(self.encoding, ENCODINGS)}"
            )

        if not fit_delimiter(self.delimiter):
            raise KzooError(
                f"{self.delimiter!r} cannot stand between fields; name one character, "
                "and no quote or line break."
            )

    @classmethod
    def of(cls, data):
        """The layout that a recipe's `[data]` describes."""
        names = (
            *("text", "label", "multi_label", "label_separator", "weight"),
            *("format", "encoding", "delimiter", "streaming"),
        )
        return cls(**{name: getattr(data, name) for name in names})

    @classmethod
    def like(cls, data, file, told):
        """How `file` is written: as told, else as a recipe's own files are.

        The recipe's format is that of files that end like its own; others tell theirs.

        Args:
            data: `kzoo_recipes.Data`.
            file: as for `kzoo.data.readers.iterate`.
            told: dict. Fields of the layout that a command's options gave.
        """
        layout = dataclasses.replace(cls.of(data), weight=None, option="--{flag} ")
        if data.format is not None and _ending(file) not in map(_ending, _files(data)):
            layout = dataclasses.replace(layout, format=None)
        return dataclasses.replace(layout, **told)

    @property
    def columns(self):
        """Key of `[data]` to the column it names, for the columns that are read."""
        named = {key: getattr(self, key) for key in ("text", "label", "weight")}
        return {key: name for key, name in named.items() if name is not None}

    @property
    def formats(self):
        """The formats that rows of this kind are written in."""
        return ("csv", "tsv", "jsonl", "parquet", "lines")

    @property
    def otherwise(self):
        """The format of files whose ending tells none, or `None`."""
        return None

    def unfit(self, format):
        """Why rows of this kind are not written in a format that others are."""
        return (
            f"{format} has a tag for each word, which a token tagger learns; if this "
            "is a table of texts for all its name, say so with"
        )

    def wanted(self, names):
        """The columns to read, of all that there are, as pairs of key and column."""
        kept = [("keep", column) for column in self.kept(names)]
        return [*self.columns.items(), *kept]

    def absent(self, key, column, names, what="column"):
        """What to say of a column that is not there, after "there is".

        Args:
            key: str. The key of `[data]` that names it.
            column: str.
            names: columns that are there.
            what: str. What they are called: `"column"` or `"key"`.
        """
        choose = self.ask(key, what.upper())
        return f'no {what} "{column}"; {no_column(column, names, f"{what}s", choose)}'

    def row(self, values, line, origin):
        """The row of a mapping from columns to values, or a `RowError`."""
        return make_row(values, self, line, origin)

    def gathered(self, rows, path):
        """An iterable of rows, all in memory."""
        return gathered(rows, path, self)

    def unweighted(self):
        """The layout of rows that are measured, not trained on."""
        return dataclasses.replace(self, weight=None)

    def kept(self, names):
        """The columns to hand on, of all that there are."""
        if self.keep == ("all",):
            return [name for name in names if name != self.text]
        return list(self.keep)

    @property
    def by_recipe(self):
        """Whether one sets keys of a recipe here; commands have fewer options."""
        return self.option == BY_RECIPE

    def ask(self, key, value):
        """What to type so that `key` is `value`."""
        return self.option.format(key=key, flag=key.replace("_", "-")) + value


def _files(data):
    for files in (data.train, data.dev, data.test):
        yield from [files] if isinstance(files, str) else files or ()


def _ending(path):
    return Path(path).suffix.lower()
