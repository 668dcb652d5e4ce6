"""Batches of few shapes, in an order that follows from the seed and the step alone.

Every batch has the same number of rows and one of a few lengths, so a compiled step is
compiled a few times only. The order comes from raw Philox numbers, which NumPy keeps
the same for ever, and never from what ran before: a resumed run asks for step 1,000 and
gets what the uninterrupted one got, on every backend.
"""

from dataclasses import dataclass

import numpy as np
from kzoo_recipes import KzooError

MOST_SIZES = 512  # lengths among which buckets are chosen
POOL = 64  # batches; rows are sorted by length within so many


def length_buckets(sequence_length, lengths=None, most=8):
    """Padded lengths, few and ascending.

    Args:
        sequence_length: int. The longest a text can be, in tokens.
        lengths: int `(rows,)`. The lengths of all texts that will be batched, to
            choose the buckets that pad these least; the last one holds the longest of
            them. `None` chooses steps of about a third up to `sequence_length`.
        most: int. How many buckets at most.
    """
    if sequence_length < 1 or most < 1:
        raise ValueError(
            "`sequence_length` and `most` must be positive. "
            f"Received: sequence_length={sequence_length}, most={most}"
        )
    if lengths is not None and len(lengths):
        return _fitted_buckets(sequence_length, np.asarray(lengths), most)
    buckets = [sequence_length]
    while len(buckets) < most and buckets[0] > 8:
        buckets.insert(0, max(8, _multiple(buckets[0] * 2 / 3, 8)))
    return sorted(set(buckets))


def _multiple(number, of):
    return max(of, round(number / of) * of)


def _fitted_buckets(sequence_length, lengths, most):
    """The multiples of 4 with the least padding, by dynamic programming.

    Of very long texts, coarser multiples: the work grows with the square of the sizes.

    `best[k][j]` is the least number of padded cells for all texts up to size `j` in
    `k` buckets of which `j` is the last.
    """
    lengths = np.minimum(lengths, sequence_length)
    last = min(sequence_length, -(-int(lengths.max()) // 4) * 4)
    step = 4 * -(-last // (4 * MOST_SIZES))
    sizes = np.unique([*range(step, last, step), last])
    of_size = np.searchsorted(sizes, lengths)
    upto = np.cumsum(np.bincount(of_size, minlength=len(sizes)))
    # What bucket j costs when i is the one before it: every text between, padded to j.
    cost = np.tril((upto[:, None] - upto[None, :]) * sizes[:, None])  # (j, i)
    cost = np.where(
        np.arange(len(sizes))[:, None] > np.arange(len(sizes)), cost, np.inf
    )
    best, before = [upto * sizes], []
    for _ in range(most - 1):
        total = cost + best[-1][None, :]
        before.append(np.argmin(total, axis=1))
        best.append(total.min(axis=1))
    count = int(np.argmin([row[-1] for row in best]))  # The fewest of equally good.
    chosen = [len(sizes) - 1]
    for step in reversed(before[:count]):
        chosen.append(int(step[chosen[-1]]))
    return [int(sizes[j]) for j in reversed(chosen)]


def pad(token_ids, length, pad_id, rows=None):
    """Sequences as one batch.

    Args:
        token_ids: list of int `(T,)` arrays, none longer than `length`.
        length: int. L, what all are padded to.
        pad_id: int.
        rows: int. B; `None` is as many as there are sequences. A filler row holds one
            visible padding token: with none, max pooling would have nothing to take.

    Returns:
        dict of `token_ids`, int32 `(B, L)`, and `padding_mask`, bool `(B, L)`, `True`
        where a token stands.
    """
    fillers = (rows or len(token_ids)) - len(token_ids)
    lengths = np.array([len(ids) for ids in token_ids] + [1] * fillers, "int64")
    if fillers < 0 or lengths.max(initial=0) > length:
        raise ValueError(
            "The sequences do not fit the batch. "
            f"Received: {len(token_ids)} sequences of at most "
            f"{lengths.max(initial=0)} tokens, rows={rows}, length={length}"
        )
    mask = np.arange(length) < lengths[:, None]  # (B, L)
    ids = np.full(mask.shape, pad_id, "int32")
    filled = [*token_ids, np.full(fillers, pad_id)]
    ids[mask] = np.concatenate(filled)
    return {"token_ids": ids, "padding_mask": mask}


@dataclass(frozen=True)
class Batch:
    """Rows for one pass. B is always the same; the last rows may be fillers.

    Attributes:
        inputs: dict of `token_ids` and `padding_mask`, see `pad`.
        labels: int32 `(B,)`, or float32 `(B, C)` of 0 and 1; 0 for fillers.
        weights: float32 `(B,)`, summing to 1 over the whole step, 0 for fillers.
        rows: int64 `(examples,)`, the rows of the data set, in order of the batch.
        padding_share: float, the share of the cells that hold no token of a text.
    """

    inputs: dict
    labels: np.ndarray
    weights: np.ndarray
    rows: np.ndarray
    padding_share: float

    @property
    def examples(self):
        return len(self.rows)


@dataclass(frozen=True)
class MicroBatches:
    """One step's rows in several batches, each padded to a length of its own.

    Attributes:
        parts: list of `Batch`. Their weights sum to 1 over all of them.
    """

    parts: list

    @property
    def rows(self):
        return np.concatenate([part.rows for part in self.parts])

    @property
    def examples(self):
        return sum(part.examples for part in self.parts)

    @property
    def padding_share(self):
        shares = [part.padding_share for part in self.parts]
        cells = [part.inputs["token_ids"].size for part in self.parts]
        return float(np.average(shares, weights=cells))


class TrainingBatches:
    """All rows once per epoch, in an order of its own for every epoch.

    An epoch's rows are drawn, cut into pools of `POOL` batches, sorted by length within
    each pool and cut into batches, which are then shuffled.

    Args:
        token_ids: list of int32 `(T,)`, T from 1 to the last bucket.
        labels: int `(rows,)`; or `(rows, C)` of 0 and 1, where a row may have any
            number of labels.
        batch_size: int. B, the rows of every batch.
        buckets: list of int, the lengths a batch may have.
        pad_id: int.
        seed: int, 0 ≤ seed < 2 ** 63.
        example_weights: float `(rows,)`, finite, none negative. What each row counts
            within its batch, relative to the others; a row of weight 0 is in no
            batch. `None` counts all alike.
        accumulation: int. k, the micro-batches that a batch is split into: the same
            rows in each step, the same weights, but k times fewer rows on the device.
            Must divide `batch_size`. 1 splits nothing.
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
        self._labels = np.asarray(labels)
        self._lengths = _checked_lengths(token_ids, buckets)
        self._batch_size, self._pad_id, self._seed = batch_size, pad_id, seed
        self._buckets = np.array(sorted(buckets))
        self._epoch, self._plan = None, None
        if len(token_ids) != len(self._labels) or not len(token_ids):
            raise ValueError(
                "Every row needs its label, and there must be rows. Received: "
                f"{len(token_ids)} rows, {len(self._labels)} labels"
            )
        self._weights = _checked_weights(example_weights, len(token_ids))
        self._counting = np.flatnonzero(self._weights)
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
        # In two steps: the sum of the largest weights would overflow.
        weights = self._weights[rows] / self._weights[rows].max()
        weights = (weights / weights.sum()).astype("float32")
        size = self._part_size
        parts = [  # Rows are sorted by length, so the parts differ in it.
            self._batch(rows[start : start + size], weights[start : start + size])
            for start in range(0, len(rows), size)
        ]
        return parts[0] if size == self._batch_size else MicroBatches(parts)

    def _batch(self, rows, weights):
        """`rows` with their weights, padded to the shortest bucket that holds them."""
        size = self._part_size
        lengths = self._lengths[rows]
        length = _bucket(lengths.max(), self._buckets)
        labels = self._labels[rows]
        labels = labels.astype("int32" if labels.ndim == 1 else "float32")
        sequences = [self._token_ids[row] for row in rows]
        fillers = size - len(rows)
        return Batch(
            inputs=pad(sequences, length, self._pad_id, size),
            labels=np.pad(labels, [(0, fillers), (0, 0)][: labels.ndim]),
            weights=np.pad(weights, (0, fillers)),
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
    lengths = _checked_lengths(token_ids, buckets)
    buckets = np.array(sorted(buckets))
    own = np.searchsorted(buckets, lengths)
    for place, length in enumerate(buckets):
        rows = np.flatnonzero(own == place)
        for start in range(0, len(rows), batch_size):
            part = rows[start : start + batch_size]
            sequences = [token_ids[row] for row in part]
            yield part, pad(sequences, int(length), pad_id, batch_size)


def check_ids(token_ids, vocabulary_size, labels=None, num_classes=None):
    """Raise unless every id has a row in its table.

    Done in NumPy, before the device: past the end of a table, JAX reads NaN or another
    row and says nothing.
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
    if labels is not None:
        labels = np.asarray(labels)
        wrong = np.flatnonzero((labels < 0) | (labels >= num_classes))
        if len(wrong):
            raise KzooError(
                f"Row {wrong[0]} has the label id {labels[wrong[0]]}, but the model "
                f"has {num_classes} classes from 0; use the labels it was made for."
            )


def _shuffled(count, drawn):
    return np.argsort(drawn.random_raw(count), kind="stable")


def _bucket(length, buckets):
    return int(buckets[np.searchsorted(buckets, length)])


def _checked_weights(weights, count):
    """The weights in float64, each 1 if `weights` is `None`."""
    weights = np.ones(count) if weights is None else np.asarray(weights, "float64")
    if weights.shape != (count,):
        raise ValueError(
            "Every row needs one weight. "
            f"Received: {count} rows, example_weights.shape={weights.shape}"
        )
    if not np.isfinite(weights).all() or weights.min() < 0 or not weights.any():
        raise ValueError(
            "Weights must be finite, none negative and one of them positive. "
            f"Received: example_weights from {weights.min()} to {weights.max()}"
        )
    return weights


def _checked_lengths(token_ids, buckets):
    lengths = np.array([len(ids) for ids in token_ids], "int64")
    if lengths.max(initial=1) > max(buckets) or lengths.min(initial=1) < 1:
        raise ValueError(
            f"Every row must have from 1 to {max(buckets)} tokens, the last bucket. "
            f"Received: from {lengths.min()} to {lengths.max()}"
        )
    return lengths
