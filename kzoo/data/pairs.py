"""Documents and the summaries that are learnt of them."""

import dataclasses

from kzoo_recipes import KzooError
from kzoo_recipes.sources import DOCSTRINGS

from kzoo.data.docstrings import docstring_splits
from kzoo.data.readers import called, iterate
from kzoo.data.readers.paired_layout import PairedLayout
from kzoo.data.readers.paired_rows import PairedRows
from kzoo.data.readers.pairs import is_blank
from kzoo.data.splits import check_weights, read_splits, split_off

__all__ = ["PairedLayout", "PairedRows", "load_paired_splits", "read_paired"]

SHOWN = 3  # places


def load_paired_splits(data):
    """Read the three parts that the `[data]` of a summarizer's recipe describes.

    Args:
        data: `kzoo_recipes.SummarizerData`.

    Returns:
        dict of `PairedRows`: `train`, `dev` and `test`, none of them empty. Whatever of
        dev and test has no file is split off train by a hash of the document.

    Raises:
        KzooError: about the first row that cannot be read or has an empty summary or
            reference; or if there is nothing to learn from.
    """
    if data.source == DOCSTRINGS:
        shares = data.dev_share, data.test_share
        return docstring_splits(data.packages, data.package_rows, shares)
    layout = PairedLayout.of(data)
    parts = read_splits(data, layout)
    _check_references(parts.values(), layout)
    parts = {split: _settled(found) for split, found in parts.items()}
    whole = parts["train"]
    splits = split_off(parts, data)
    train = dataclasses.replace(splits["train"], notes=whole.notes, empty=whole.empty)
    check_weights(train, data.weight)
    return {**splits, "train": train}


def read_paired(path, layout=None, **options):
    """All documents of files with their summaries, in memory.

    Args:
        path: as for `kzoo.data.iterate`.
        layout: `PairedLayout`.
        **options: fields of the `PairedLayout` to set, such as `summary="title"`.

    Returns:
        `PairedRows`, at least one.

    Raises:
        KzooError: as of `load_paired_splits`.
    """
    layout = dataclasses.replace(layout or PairedLayout(), **options)
    found = layout.gathered(iterate(path, layout), called(path))
    if not len(found):
        raise KzooError(f"{found.path}: the file has no rows; give it at least one.")
    _check_references([found], layout)
    return _settled(found)


def _check_references(parts, layout):
    """A column of references that no row has is a mistake, in some part or other."""
    asked = layout.references is not None and layout.some_references
    if not asked or any(pair.referenced for part in parts for pair in part.found):
        return
    first = next(iter(parts))
    raise KzooError(
        f'{first.path}: no row has references in "{layout.references}"; name their '
        f"column with {layout.ask('references', 'COLUMN')}, or leave it out."
    )


def _settled(found):
    """The pairs that have a document, and how many have none."""
    kept, empty = [], []
    for pair in found.found:
        if is_blank(pair.text):
            empty.append((pair.origin, pair.line))
        else:
            kept.append(pair)
    if not kept:
        raise KzooError(f"{found.path}: no row has a document; give it at least one.")
    plain = all((found.path, "line") == pair.origin for pair in kept)
    unweighted = kept[0].weight is None  # Dev and test are, whatever train is.
    return PairedRows(
        documents=[pair.text for pair in kept],
        summaries=[pair.summary for pair in kept],
        references=[pair.references for pair in kept],
        lines=[pair.line for pair in kept],
        path=found.path,
        notes=_notes(empty),
        weights=None if unweighted else [pair.weight for pair in kept],
        origins=None if plain else [pair.origin for pair in kept],
        empty=empty,
    )


def _notes(empty):
    if not empty:
        return []
    [one, *others] = dict.fromkeys(line for _, line in empty)
    what = "1 row" if len(empty) == 1 else f"{len(empty):,} rows"
    was = "was" if len(empty) == 1 else "were"
    unit = empty[0][0].unit + ("s" if others else "")
    lines = ", ".join(map(str, [one, *others][:SHOWN]))
    left = len(others) + 1 - SHOWN
    more = f" and {left:,} more" if left > 0 else ""
    return [f"{what} with an empty document {was} left out ({unit} {lines}{more})"]
