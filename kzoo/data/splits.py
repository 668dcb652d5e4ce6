"""Train, dev and test: from files, shipped with kzoo, or split off by a hash."""

import dataclasses
import hashlib
import unicodedata

from kzoo_recipes import KzooError, did_you_mean
from kzoo_recipes.sources import is_hub

from kzoo.data.installed import installed_rows
from kzoo.data.labels import each
from kzoo.data.readers import Layout, read, refuse
from kzoo.data.readers.hub import dataset_rows, hub_splits, spelt

SPLITS = ("train", "dev", "test")


def load_splits(data):
    """Read the three parts that a recipe's `[data]` describes.

    Args:
        data: `kzoo_recipes.Data`.

    Returns:
        dict of `Rows`: `train`, `dev` and `test`, none of them empty. Whatever of dev
        and test has no file is split off train by `hashed_split`.
    """
    return labelled_splits(split_off(read_splits(data, Layout.of(data)), data), data)


def labelled_splits(splits, data):
    """The three parts with their labels renamed, if there is something to tell apart.

    Args:
        splits: dict of `Rows`.
        data: `kzoo_recipes.Data`, of rows with labels.

    Raises:
        KzooError: if training rows have one label, or none, or no weight.
    """
    splits = _renamed(splits, data.labels)
    train = splits["train"]
    labels = sorted({label for labels in each(train) for label in labels})
    if not labels:
        raise KzooError(
            f"{train.path}: no training row has a label; look at the column "
            f'"{data.label}".'
        )
    if len(labels) < 2 and not getattr(data, "multi_label", False):
        raise KzooError(
            f'{train.path}: every training row has the label "{labels[0]}"; '
            "a classifier needs two or more."
        )
    check_weights(train, data.weight)
    return splits


def read_splits(data, layout):
    """The parts that have a source or files of their own, train at the least.

    Args:
        data: `kzoo_recipes.Data`.
        layout: `kzoo.data.Layout`.

    Returns:
        dict of rows, as the layout gathers them, none of them empty.
    """
    if is_hub(data.source):
        return _from_hub(data.source, layout)
    if data.source is not None:
        return installed_rows(data.source, layout)
    if data.train is not None:
        return _from_files(data, layout)
    *formats, last = [name for name in layout.formats if name != "lines"]
    raise KzooError(
        "[data] names no training rows; give them with --set data.train=FILE "
        f"({', '.join(formats)} or {last})."
    )


def check_weights(train, column):
    """Raise a `KzooError` if no training row counts."""
    if train.weights is not None and not any(train.weights):
        raise KzooError(
            f"{train.path}: every training row has the weight 0, so there is nothing "
            f'to learn from; look at the column "{column}".'
        )


def hashed_split(rows, dev_share=0.0, test_share=0.0):
    """Split rows by what their text says, not by where they stand.

    The first 8 bytes of the BLAKE2b digest of the text (NFC, UTF-8), read as a number
    from 0 to 1, decide: below `test_share` is test, below `test_share + dev_share` is
    dev, the rest is train. So equal texts stay on one side, order and neighbours do not
    matter, and rows added later never move the old ones.

    Args:
        rows: `Rows`.
        dev_share: float. Expected share of different texts in dev.
        test_share: float. Expected share of different texts in test.

    Returns:
        dict of `Rows`: `train`, `dev` and `test`, some of them perhaps empty.
    """
    parts = {split: [] for split in SPLITS}
    for row, text in enumerate(getattr(rows, "split_by", rows.texts)):
        place = hash_place(text)
        in_dev = place < test_share + dev_share
        split = "test" if place < test_share else "dev" if in_dev else "train"
        parts[split].append(row)
    return {split: rows.take(parts[split]) for split in SPLITS}


def hash_place(text):
    """Where a text falls between 0 and 1: by what it says, evenly, and for good."""
    written = unicodedata.normalize("NFC", text).encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(written, digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def _from_files(data, layout):
    """The splits that have files. Weights are of use in training alone."""
    splits = {}
    for split in SPLITS:
        path = getattr(data, split)
        own = layout if split == "train" else layout.unweighted()
        if is_hub(path) and spelt(path).split is None:
            splits |= _from_hub(path, own, (split,))
        elif path is not None:
            splits[split] = read(path, own)
    return splits


def _from_hub(text, layout, wanted=SPLITS):
    """Parts of a dataset that has splits of its own."""
    found = hub_splits(text, layout)
    if len(wanted) == 1 and wanted[0] not in found:
        raise KzooError(
            f"{text}: the dataset has no split for {wanted[0]}; name one as in "
            f"--set data.{wanted[0]}={text}#SPLIT."
        )
    splits = {}
    for split in wanted:
        if split in found:
            name, dataset = found[split]
            own = layout if split == "train" else layout.unweighted()
            rows = dataset_rows(dataset, name, own, refuse)
            splits[split] = own.gathered(rows, name)
            if not len(splits[split]):
                raise KzooError(f"{name}: the split has no rows; name another.")
    return splits


def split_off(splits, data):
    """Add the parts that are missing, out of the training rows."""
    shares = {
        split: getattr(data, f"{split}_share")
        for split in ("dev", "test")
        if split not in splits
    }
    if shares:
        whole = splits["train"]
        parts = hashed_split(whole, shares.get("dev", 0.0), shares.get("test", 0.0))
        splits["train"] = parts["train"]
        for split in shares:
            splits[split] = dataclasses.replace(parts[split], hashed=True)
        for split in ("train", *shares):
            if not splits[split].texts:
                raise KzooError(
                    f"{whole.path}: splitting {len(whole)} rows by their hash left "
                    f"none for {split}; give more rows, a file with --set "
                    f"data.{split}=FILE or other shares."
                )
    return {split: splits[split] for split in SPLITS}


def _renamed(splits, names):
    """The splits with labels renamed; a name that renames nothing is a mistake."""
    found = sorted(
        {label for rows in splits.values() for labels in each(rows) for label in labels}
    )
    for old in names:
        if old not in found:
            raise KzooError(
                f'[data.labels] renames the label "{old}", which no row has'
                f"{did_you_mean(old, found)}"
            )
    return {split: rows.renamed(names) for split, rows in splits.items()}
