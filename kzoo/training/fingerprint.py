"""What a run trains on, in a few digits: whether its rows are still the same."""

import hashlib

import numpy as np
from kzoo_recipes import KzooError

CHUNK = 10_000  # rows at a time


def fingerprint(splits):
    """Rows and SHA-256 of each split, as the model sees it: token ids and labels.

    Args:
        splits: dict of a task's encoded splits, whose `numbers()` are arrays and lists
            of arrays.

    Returns:
        dict by split of `{"rows": int, "sha256": str}`.
    """
    prints = {}
    for split, encoded in splits.items():
        digest = hashlib.sha256()
        for values in encoded.numbers():
            _take_in(digest, values)
        prints[split] = {"rows": len(encoded), "sha256": digest.hexdigest()}
    return prints


def _take_in(digest, values):
    if values is None:
        return
    if isinstance(values, np.ndarray):
        digest.update(np.ascontiguousarray(values).tobytes())
        return
    for start in range(0, len(values), CHUNK):
        part = [np.asarray(row) for row in values[start : start + CHUNK]]
        digest.update(np.array([row.size for row in part], "int64").tobytes())
        digest.update(np.concatenate([row.ravel() for row in part]).tobytes())


def check_same_rows(before, now, data):
    """Raise a `KzooError` that names the file whose rows are no longer the same.

    Args:
        before: from `fingerprint`, when the run began.
        now: from `fingerprint`.
        data: `Data` of the recipe.
    """
    for split, rows in now.items():
        if before.get(split) == rows:
            continue
        files = getattr(data, split, None) or data.train or data.source
        file = files if isinstance(files, str) else ", ".join(files)
        then = before.get(split, {}).get("rows", 0)
        count = f"{then:,} rows then, {rows['rows']:,} now"
        if then == rows["rows"]:
            count = f"still {then:,} rows, but not the same"
        raise KzooError(
            f"{file}: the rows of {split} have changed since the run began ({count}): "
            "put the file back as it was, or train anew, with --force."
        )
