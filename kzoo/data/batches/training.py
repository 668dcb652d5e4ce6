"""Batches for training: rows in the order of `Order`, padded to few lengths."""

import numpy as np

from kzoo.data.batches.batch import Batch, MicroBatches, pad
from kzoo.data.batches.buckets import bucket_of, checked_lengths
from kzoo.data.batches.order import Order
from kzoo.data.batches.targets import make_targets


class TrainingBatches:
    """All rows once per epoch, in an order of its own for every epoch; see `Order`.

    Args:
        token_ids: list of int32 `(T,)`, T from 1 to the last bucket.
        labels: int `(rows,)`; or `(rows, C)` of 0 and 1, where a row may have any
            number of labels; or a list of int `(T,)`, one for each token.
        batch_size: int. B, the rows of every batch.
        buckets: list of int, the lengths a batch may have.
        pad_id: int.
        seed: int, 0 ≤ seed < 2 ** 63.
        example_weights: float `(rows,)`, finite, none negative. What each row counts
            within its batch, relative to the others; a row of weight 0 is in no
            batch. `None` counts all alike. With labels for tokens, a list of float
            `(T,)`: a token of weight 0 has no label, a row without any is in no batch.
        accumulation: int. k, the micro-batches that a batch is split into: the same
            rows in each step, the same weights, but k times fewer rows on the device.
            Must divide `batch_size`. 1 splits nothing.

    Attributes:
        left_out: int, the rows that are in no batch.
    """

    def __init__(
        self,
        token_ids,
        labels,
        batch_size,
        buckets,
        pad_id,
        seed,
        example_weights=None,
        accumulation=1,
    ):
        self._token_ids = token_ids
        self._lengths = checked_lengths(token_ids, buckets)
        self._pad_id = pad_id
        self._buckets = np.array(sorted(buckets))
        self._targets = make_targets(labels, example_weights, self._lengths)
        counting = self._targets.counting()
        self.left_out = len(token_ids) - len(counting)
        self._order = Order(counting, self._lengths, batch_size, seed, accumulation)

    def __len__(self):
        """Batches per epoch."""
        return len(self._order)

    def at(self, step):
        """The batch of training step `step`, counted from 0 over all epochs."""
        rows = self._order.at(step)
        shares = self._targets.shares(rows)
        parts = [
            self._batch(rows[part], shares[part]) for part in self._order.parts(rows)
        ]
        return MicroBatches(parts) if self._order.is_split else parts[0]

    def _batch(self, rows, shares):
        """`rows` with their shares, padded to the shortest bucket that holds them."""
        size = self._order.part_size
        lengths = self._lengths[rows]
        length = bucket_of(lengths.max(), self._buckets)
        sequences = [self._token_ids[row] for row in rows]
        labels, weights = self._targets.padded(rows, shares, size, length)
        return Batch(
            inputs=pad(sequences, length, self._pad_id, size),
            labels=labels,
            weights=weights,
            rows=rows,
            padding_share=1 - float(lengths.sum()) / (size * length),
        )
