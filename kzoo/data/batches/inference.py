"""Batches for prediction, and ids checked before the device sees them."""

import numpy as np
from kzoo_recipes import KzooError

from kzoo.data.batches.batch import pad
from kzoo.data.batches.buckets import checked_lengths


def inference_batches(token_ids, batch_size, buckets, pad_id):
    """Yield batches for prediction: every row once, always in its own bucket.

    A row's shape, and so its result to the last bit, does not depend on which other
    rows there are.

    Args:
        token_ids: list of int32 `(T,)`, T from 1 to the last bucket.
        batch_size: int. B, the rows of every batch; fillers make up what is missing.
        buckets: list of int.
        pad_id: int.

    Yields:
        `(rows, inputs)`: int64 `(examples,)`, where the first rows of the batch stand
        in `token_ids`, and a dict as `pad` gives it.
    """
    lengths = checked_lengths(token_ids, buckets)
    buckets = np.array(sorted(buckets))
    own = np.searchsorted(buckets, lengths)
    for place, length in enumerate(buckets):
        rows = np.flatnonzero(own == place)
        for start in range(0, len(rows), batch_size):
            part = rows[start : start + batch_size]
            sequences = [token_ids[row] for row in part]
            yield part, pad(sequences, int(length), pad_id, batch_size)


def check_ids(token_ids, vocabulary_size, labels=None, num_classes=None):
    """Raise unless every id has a row in its table, and every label a class.

    Done in NumPy, before the device: past the end of a table, JAX reads NaN or another
    row and says nothing.

    Args:
        token_ids: list of int `(T,)` arrays.
        vocabulary_size: int.
        labels: list with an int for each row, or an int `(T,)` array.
        num_classes: int.

    Raises:
        KzooError: naming the first row that has a wrong one.
    """
    for row, ids in enumerate(token_ids):
        if not len(ids):
            raise KzooError(f"Text {row} has no tokens; every text needs at least one.")
        if ids.min() < 0 or ids.max() >= vocabulary_size:
            wrong = ids.max() if ids.min() >= 0 else ids.min()
            raise KzooError(
                f"Text {row} has the token id {wrong}, but the model's vocabulary has "
                f"{vocabulary_size} ids from 0; use the tokenizer it was made for."
            )
    for row, of_row in enumerate([] if labels is None else labels):
        wrong = np.ravel(of_row)
        wrong = wrong[(wrong < 0) | (wrong >= num_classes)]
        if len(wrong):
            raise KzooError(
                f"Row {row} has the label id {wrong[0]}, but the model has "
                f"{num_classes} classes from 0; use the labels it was made for."
            )
