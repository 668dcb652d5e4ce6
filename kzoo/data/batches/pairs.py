"""Batches of sources and targets, for an encoder that reads and a decoder that writes.

A target is what the decoder must say, its end included. What it is given to say it is
the same one step later: a start token, then all but the end.
"""

import numpy as np

from kzoo.data.batches.batch import Batch, MicroBatches, pad
from kzoo.data.batches.buckets import bucket_of, checked_lengths
from kzoo.data.batches.order import Order
from kzoo.data.batches.targets import make_targets


def pair_batch(rows, sources, targets, lengths, ids, labels, weights):
    """Sources, and all that a decoder is given of their targets, as a `Batch`.

    Args:
        rows: int64, the numbers of the rows.
        sources, targets: lists of int32 `(S,)` and `(T,)`, of these rows.
        lengths: pair of int, what sources and targets are padded to.
        ids: pair of int, `pad_id` and the `start_id` that a decoder is given first.
        labels, weights: `(B, T)`, which say how many rows the batch has.
    """
    (source, target), (pad_id, start_id), size = lengths, ids, len(labels)
    read = pad(sources, source, pad_id, size)
    given = [np.append(start_id, target_ids[:-1]) for target_ids in targets]
    written = pad(given, target, pad_id, size)
    tokens = sum(map(len, sources)) + sum(map(len, targets))
    return Batch(
        inputs={
            **{f"encoder_{name}": values for name, values in read.items()},
            **{f"decoder_{name}": values for name, values in written.items()},
        },
        labels=labels,
        weights=weights,
        rows=rows,
        padding_share=1 - tokens / (size * (source + target)),
    )


class Pairs:
    """Sources and targets, padded to few pairs of lengths.

    Args:
        sources: list of int32 `(S,)`, S from 1 to the last bucket of sources.
        targets: list of int32 `(T,)`, likewise, each with its end.
        buckets: pair of lists of int, the lengths of sources and of targets. A batch
            has one of each, so that there are no more shapes than their product.
        pad_id: int.
        start_id: int. What a decoder is given before the first token.
    """

    def __init__(self, sources, targets, buckets, pad_id, start_id):
        self.sources, self.targets = sources, targets
        self.pad_id, self.start_id = pad_id, start_id
        self.buckets = [np.array(sorted(of_side)) for of_side in buckets]
        self.lengths = [
            checked_lengths(ids, of_side)
            for ids, of_side in zip((sources, targets), self.buckets, strict=True)
        ]
        if len(sources) != len(targets):
            raise ValueError(
                "Every source needs its target. "
                f"Received: {len(sources)} sources, {len(targets)} targets"
            )

    @property
    def places(self):
        """The bucket of each source and of each target, two int64 `(rows,)`."""
        return [
            np.searchsorted(of_side, lengths)
            for of_side, lengths in zip(self.buckets, self.lengths, strict=True)
        ]

    def padded(self, rows, targets, shares, size):
        """`rows` as a `Batch` of `size` rows, padded to the shortest buckets that do.

        Args:
            rows: int64, at most `size` of them.
            targets: `TokenTargets` of all rows.
            shares: list of float32 `(T,)`, what each target token counts.
            size: int.
        """
        source, target = (
            bucket_of(lengths[rows].max(), of_side)
            for lengths, of_side in zip(self.lengths, self.buckets, strict=True)
        )
        labels, weights = targets.padded(rows, shares, size, target)
        read = [self.sources[row] for row in rows]
        written = [self.targets[row] for row in rows]
        lengths = source, target
        ends = self.pad_id, self.start_id
        return pair_batch(rows, read, written, lengths, ends, labels, weights)


class PairedBatches:
    """All pairs once per epoch, in an order of its own for every epoch; see `Order`.

    Within a pool, pairs are sorted by the bucket of their source, then by the length
    of their target: padded target tokens are the dear ones, since each is scored
    against the whole vocabulary.

    Args:
        pairs: `Pairs`.
        batch_size: int. B, the rows of every batch.
        seed: int, 0 ≤ seed < 2 ** 63.
        example_weights: float `(rows,)`, finite, none negative. What each target token
            of a row counts, relative to the other tokens of an update; a row of weight
            0 is in no batch. `None` counts all alike.
        accumulation: int. The parts that a batch is split into. Its weights sum to 1
            over all target tokens of all parts, so that the loss is that of the whole.

    Attributes:
        left_out: int, the rows that are in no batch.
    """

    def __init__(self, pairs, batch_size, seed, example_weights=None, accumulation=1):
        self._pairs = pairs
        lengths = pairs.lengths[1]
        weights = example_weights
        if weights is not None:
            weights = [
                np.full(length, weight, "float64")
                for length, weight in zip(lengths, weights, strict=True)
            ]
        self._targets = make_targets(pairs.targets, weights, lengths)
        counting = self._targets.counting()
        self.left_out = len(lengths) - len(counting)
        ranks = pairs.places[0] * (lengths.max() + 1) + lengths
        self._order = Order(counting, ranks, batch_size, seed, accumulation)

    def __len__(self):
        """Batches per epoch."""
        return len(self._order)

    def at(self, step):
        """The batch of training step `step`, counted from 0 over all epochs."""
        rows, size = self._order.at(step), self._order.part_size
        shares = self._targets.shares(rows)
        parts = [
            self._pairs.padded(rows[part], self._targets, shares[part], size)
            for part in self._order.parts(rows)
        ]
        return MicroBatches(parts) if self._order.is_split else parts[0]


def measuring_batches(pairs, batch_size):
    """Yield batches that hold every pair once, in its own buckets.

    Their weights sum to 1 over all target tokens of all batches, so that the sum of
    their losses is the mean over these tokens.

    Args:
        pairs: `Pairs`.
        batch_size: int. B, the rows of every batch; fillers make up what is missing.
    """
    lengths = pairs.lengths[1]
    targets = make_targets(pairs.targets, None, lengths)
    share = np.float32(1 / lengths.sum())
    source, target = pairs.places
    shapes = source * len(pairs.buckets[1]) + target
    for shape in np.unique(shapes):
        rows = np.flatnonzero(shapes == shape)
        for start in range(0, len(rows), batch_size):
            part = rows[start : start + batch_size]
            shares = [np.full(lengths[row], share) for row in part]
            yield pairs.padded(part, targets, shares, batch_size)
