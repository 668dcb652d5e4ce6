"""Texts with pictures: how they are written, and where they come from."""

import dataclasses
from pathlib import Path

from kzoo_recipes import KzooError
from kzoo_recipes.sources import PICTURES, is_hub

from kzoo.data.pictured_rows import PicturedRows
from kzoo.data.readers import Layout, called, iterate
from kzoo.data.readers.rows import RowError, Rows, gathered
from kzoo.data.readers.values import kind, make_row
from kzoo.data.shapes import shape_splits
from kzoo.data.splits import labelled_splits, read_splits, split_off
from kzoo.images import is_address, open_picture

__all__ = [
    "PicturedLayout",
    "PicturedRows",
    "check_pictures",
    "load_pictured_splits",
    "read_pictured",
]


@dataclasses.dataclass(frozen=True)
class PicturedLayout(Layout):
    """How texts with pictures are written: tables with a column of paths, too.

    Attributes:
        image: str. The column of the pictures: paths of files, from the folder of the
            table on.
    """

    image: str = "image"

    @classmethod
    def of(cls, data):
        """The layout that a recipe's `[data]` describes."""
        names = (
            *("image", "text", "label", "weight"),
            *("format", "encoding", "delimiter", "streaming"),
        )
        return cls(**{name: getattr(data, name) for name in names})

    @property
    def columns(self):
        """Key of `[data]` to the column it names, for the columns that are read."""
        return {"image": self.image, **super().columns}

    @property
    def formats(self):
        """The formats that rows of this kind are written in."""
        return ("csv", "tsv", "jsonl", "parquet")

    def unfit(self, format):
        """Why rows of this kind are not written in a format that others are."""
        return (
            f"{format} has no place for pictures; if this is a table for all its name, "
            "say so with"
        )

    def row(self, values, line, origin):
        """The row of a mapping from columns to values, or a `RowError`."""
        row = make_row(values, self, line, origin)
        value = values[self.image]
        if not isinstance(value, str) or not value.strip():
            what = "empty" if isinstance(value, str) else kind(value)
            raise RowError(
                origin,
                line,
                f'"{self.image}" is {what}; it must be the path of a file.',
            )
        image = value.strip()
        if not is_hub(origin.path) and not is_address(image):
            image = str(Path(origin.path).parent / image)
        return row._replace(image=image)

    def gathered(self, rows, path):
        """An iterable of rows, all in memory but for the pictures."""
        rows = list(rows)
        plain = gathered(rows, path, self)
        values = {f.name: getattr(plain, f.name) for f in dataclasses.fields(Rows)}
        return PicturedRows(**values, images=[row.image for row in rows])


def load_pictured_splits(data):
    """Read the three parts that a recipe's `[data]` describes.

    Args:
        data: `kzoo_recipes.ImageTextData`.

    Returns:
        dict of `PicturedRows`: `train`, `dev` and `test`, none of them empty. Whatever
        of dev and test has no file is split off train by a hash of the picture's path.
        The pictures are not read.

    Raises:
        KzooError: about the first row that cannot be read, or labels of one kind.
    """
    if data.source == PICTURES:
        return labelled_splits(shape_splits(), data)
    parts = read_splits(data, PicturedLayout.of(data))
    return labelled_splits(split_off(parts, data), data)


def read_pictured(path, layout=None, **options):
    """All texts of files with the paths of their pictures, in memory.

    Args:
        path: as for `kzoo.data.iterate`.
        layout: `PicturedLayout`.
        **options: fields of the `PicturedLayout` to set, such as `image="photo"`.

    Returns:
        `PicturedRows`, at least one.

    Raises:
        KzooError: about the first row that cannot be read, or a file without rows.
    """
    layout = dataclasses.replace(layout or PicturedLayout(), **options)
    name = called(path)
    rows = layout.gathered(iterate(path, layout), name)
    if not len(rows):
        raise KzooError(f"{name}: the file has no rows; give it at least one.")
    return rows


def check_pictures(splits):
    """Read every picture once, and keep none.

    Args:
        splits: dict of `PicturedRows`.

    Returns:
        dict from split to how many files hold several pictures, of which the first is
        read.

    Raises:
        KzooError: naming the row and the file of the first that cannot be read.
    """
    return {
        split: sum(
            open_picture(image, rows.where(row)).several
            for row, image in enumerate(rows.images)
            if isinstance(image, str)
        )
        for split, rows in splits.items()
    }
