"""Batches for training, in an order that follows from the seed and the step alone.

The order comes from raw Philox numbers, which NumPy keeps the same for ever, and never
from what ran before: a resumed run asks for step 1,000 and gets what the uninterrupted
one got, on every backend.
"""

import numpy as np

from kzoo.data.batches.batch import Batch, MicroBatches, pad
from kzoo.data.batches.buckets import checked_lengths
from kzoo.data.batches.targets import make_targets

POOL = 64  # batches; rows are sorted by length within so many


class TrainingBatches:
    """All rows once per epoch, in an order of its own for every epoch.

    An epoch's rows are drawn, cut into pools of `POOL` batches, sorted by length within
    each pool and cut into batches, which are then shuffled.

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
        self._batch_size, self._pad_id, self._seed = batch_size, pad_id, seed
        self._buckets = np.array(sorted(buckets))
        self._epoch, self._plan = None, None
        self._targets = make_targets(labels, example_weights, self._lengths)
        self._counting = self._targets.counting()
        self.left_out = len(token_ids) - len(self._counting)
        if accumulation < 1 or batch_size % accumulation:
            raise ValueError(
                "`accumulation` must divide `batch_size`. Received: "
                f"accumulation={accumulation}, batch_size={batch_size}"
            )
        self._part_size = batch_size // accumulation

    def __len__(self):
        """Batches per epoch."""
        return -(-len(self._counting) // self._batch_size)

    def at(self, step):
        """The batch of training step `step`, counted from 0 over all epochs."""
        epoch, place = divmod(step, len(self))
        if epoch != self._epoch:
            self._epoch, self._plan = epoch, self._planned(epoch)
        rows = self._plan[place]
        shares = self._targets.shares(rows)
        size = self._part_size
        parts = [  # Rows are sorted by length, so the parts differ in it.
            self._batch(rows[start : start + size], shares[start : start + size])
            for start in range(0, len(rows), size)
        ]
        return parts[0] if size == self._batch_size else MicroBatches(parts)

    def _batch(self, rows, shares):
        """`rows` with their shares, padded to the shortest bucket that holds them."""
        size = self._part_size
        lengths = self._lengths[rows]
        length = _bucket(lengths.max(), self._buckets)
        sequences = [self._token_ids[row] for row in rows]
        labels, weights = self._targets.padded(rows, shares, size, length)
        return Batch(
            inputs=pad(sequences, length, self._pad_id, size),
            labels=labels,
            weights=weights,
            rows=rows,
            padding_share=1 - float(lengths.sum()) / (size * length),
        )

    def _planned(self, epoch):
        """The rows of each batch of an epoch."""
        drawn = np.random.Philox(key=np.array([self._seed, epoch], "uint64"))
        order = self._counting[_shuffled(len(self._counting), drawn)]
        batches = []
        for start in range(0, len(order), POOL * self._batch_size):
            pool = order[start : start + POOL * self._batch_size]
            pool = pool[np.argsort(self._lengths[pool], kind="stable")]
            cuts = range(self._batch_size, len(pool), self._batch_size)
            batches += np.split(pool, cuts)
        return [batches[place] for place in _shuffled(len(batches), drawn)]


def _shuffled(count, drawn):
    return np.argsort(drawn.random_raw(count), kind="stable")


def _bucket(length, buckets):
    return int(buckets[np.searchsorted(buckets, length)])
