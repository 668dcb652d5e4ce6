"""Lengths that batches may have: few, and chosen to pad little."""

import numpy as np

MOST_SIZES = 512  # lengths among which buckets are chosen


def length_buckets(sequence_length, lengths=None, most=8):
    """Padded lengths, few and ascending.

    Args:
        sequence_length: int. The longest a text can be, in tokens.
        lengths: int `(rows,)`. The lengths of all texts that will be batched, to
            choose the buckets that pad these least; the last one holds the longest of
            them. `None` chooses steps of about a third up to `sequence_length`.
        most: int. How many buckets at most.

    Returns:
        list of int.
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


def checked_lengths(token_ids, buckets):
    """The lengths of the rows, int64 `(rows,)`, if each fits a bucket."""
    lengths = np.array([len(ids) for ids in token_ids], "int64")
    if lengths.max(initial=1) > max(buckets) or lengths.min(initial=1) < 1:
        raise ValueError(
            f"Every row must have from 1 to {max(buckets)} tokens, the last bucket. "
            f"Received: from {lengths.min()} to {lengths.max()}"
        )
    return lengths


def bucket_of(length, buckets):
    """The shortest of ascending `buckets`, an array, that holds `length`."""
    return int(buckets[np.searchsorted(buckets, length)])
