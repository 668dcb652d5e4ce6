"""Texts alone, without labels: what a language model learns from."""

import dataclasses

from kzoo_recipes import KzooError

from kzoo.data.readers import Layout, called, iterate
from kzoo.data.readers.pairs import is_blank
from kzoo.data.readers.rows import Origin, Rows
from kzoo.data.splits import read_splits, split_off

SHOWN = 3  # places


@dataclasses.dataclass(frozen=True)
class TextRows(Rows):
    """Texts, none of them blank.

    Attributes:
        notes: list of str. What was left out.
        empty: list of `(Origin, line)`, the rows that were left out for being blank.
    """

    notes: list = dataclasses.field(default_factory=list)
    empty: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class TextLayout(Layout):
    """How texts are written: tables with a column of them, or plain text.

    Attributes:
        label: `None`; texts have no label.
        format: as of `Layout`, or `"paragraphs"`, a text on all lines up to an empty
            one. Files whose ending tells no format have a text on each line.
    """

    label: str | None = None

    @classmethod
    def of(cls, data):
        """The layout that the `[data]` of a language model's recipe describes."""
        names = ("text", "format", "encoding", "delimiter", "streaming")
        return cls(**{name: getattr(data, name) for name in names})

    @property
    def formats(self):
        """The formats that rows of this kind are written in."""
        return ("csv", "tsv", "jsonl", "parquet", "paragraphs", "lines")

    @property
    def otherwise(self):
        """The format of files whose ending tells none."""
        return "lines"


def load_text_splits(data):
    """Read the three parts that the `[data]` of a language model's recipe describes.

    Args:
        data: `kzoo_recipes.TextData`.

    Returns:
        dict of `TextRows`: `train`, `dev` and `test`, none of them empty. Whatever of
        dev and test has no file is split off train by a hash of the text.

    Raises:
        KzooError: about the first row that cannot be read, or texts that are all blank.
    """
    found = read_splits(data, TextLayout.of(data))
    splits = {split: settled(rows) for split, rows in found.items()}
    whole = splits["train"]
    splits = split_off(splits, data)
    train = dataclasses.replace(splits["train"], notes=whole.notes, empty=whole.empty)
    others = {
        split: dataclasses.replace(rows, notes=[], empty=[]) if rows.hashed else rows
        for split, rows in splits.items()
    }
    return {**others, "train": train}


def read_texts(path, layout=None, **options):
    """All texts of files, in memory.

    Args:
        path: as for `kzoo.data.iterate`.
        layout: `TextLayout`.
        **options: fields of the `TextLayout` to set, such as `text="body"`.

    Returns:
        `TextRows`, at least one.

    Raises:
        KzooError: as of `load_text_splits`.
    """
    layout = dataclasses.replace(layout or TextLayout(), **options)
    return settled(layout.gathered(iterate(path, layout), called(path)))


def settled(rows):
    """`Rows` as `TextRows`: those that are not blank, and how many are."""
    blank = {row for row, text in enumerate(rows.texts) if is_blank(text)}
    kept = rows.take([row for row in range(len(rows)) if row not in blank])
    if not len(kept):
        raise KzooError(f"{rows.path}: no row has a text; give it at least one.")
    plain = Origin(rows.path)
    empty = [
        (plain if rows.origins is None else rows.origins[row], rows.lines[row])
        for row in sorted(blank)
    ]
    values = {f.name: getattr(kept, f.name) for f in dataclasses.fields(Rows)}
    return TextRows(**values, notes=_notes(empty), empty=empty)


def _notes(empty):
    """What was left out, in words."""
    if not empty:
        return []
    unit = empty[0][0].unit
    places = ", ".join(str(line) for _, line in empty[:SHOWN])
    more = f" and {len(empty) - SHOWN:,} more" if len(empty) > SHOWN else ""
    if len(empty) == 1:
        return [f"1 blank text was left out ({unit} {places})"]
    return [f"{len(empty):,} blank texts were left out ({unit}s {places}{more})"]
