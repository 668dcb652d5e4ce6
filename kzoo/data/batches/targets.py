"""What a batch is to answer and what each answer counts: by row, or by token."""

import numpy as np


def make_targets(labels, weights, lengths):
    """`RowTargets`, or `TokenTargets` if each row has a list of labels of its own.

    Args:
        labels: int `(rows,)`, `(rows, C)` of 0 and 1, or a list of int `(T,)` arrays.
        weights: float `(rows,)`, or a list of float `(T,)` arrays. `None` counts all
            alike.
        lengths: int `(rows,)`, T of each row.
    """
    by_token = isinstance(labels, list) and any(np.ndim(ids) for ids in labels[:1])
    kind = TokenTargets if by_token else RowTargets
    return kind(labels, weights, lengths)


class RowTargets:
    """A label, or several, for each row."""

    def __init__(self, labels, weights, lengths):
        self._labels = np.asarray(labels)
        _check_count(lengths, self._labels)
        self._weights = _checked_weights(weights, len(lengths))

    def counting(self):
        """The rows that count anything, int64, in order."""
        return np.flatnonzero(self._weights)

    def shares(self, rows):
        """What each of `rows` counts of an update that they make up, float32."""
        return _shares(self._weights[rows])

    def padded(self, rows, shares, size, length):
        """The labels and weights of a batch of `size` rows, 0 for fillers."""
        del length
        labels = self._labels[rows]
        labels = labels.astype("int32" if labels.ndim == 1 else "float32")
        fillers = (0, size - len(rows))
        labels = np.pad(labels, [fillers, (0, 0)][: labels.ndim])
        return labels, np.pad(shares, fillers)


class TokenTargets:
    """A label for each token of each row; one of weight 0 is not looked at."""

    def __init__(self, labels, weights, lengths):
        _check_count(lengths, labels)
        self._labels = [np.asarray(ids, "int32") for ids in labels]
        self._ends = np.cumsum(lengths)
        _check_shapes("labels", self._labels, lengths)
        if weights is None:
            weights = [np.ones(length) for length in lengths]
        _check_shapes("example_weights", weights, lengths)
        self._flat = _checked_weights(np.concatenate(weights), int(self._ends[-1]))
        self._lengths = lengths

    def _of(self, row):
        end = self._ends[row]
        return self._flat[end - self._lengths[row] : end]

    def counting(self):
        """The rows that have a token that counts, int64, in order."""
        starts = self._ends - self._lengths
        return np.flatnonzero(np.maximum.reduceat(self._flat, starts))

    def shares(self, rows):
        """What each token counts of an update: a list of float32 `(T,)`."""
        weights = [self._of(row) for row in rows]
        ends = np.cumsum([len(of_row) for of_row in weights])
        return np.split(_shares(np.concatenate(weights)), ends[:-1])

    def padded(self, rows, shares, size, length):
        """The labels and weights of a batch, `(size, length)`, 0 where no label is."""
        labels = np.zeros((size, length), "int32")
        weights = np.zeros((size, length), "float32")
        for place, (row, of_row) in enumerate(zip(rows, shares, strict=True)):
            looked_at = np.where(of_row > 0, self._labels[row], 0)
            labels[place, : len(of_row)] = looked_at
            weights[place, : len(of_row)] = of_row
        return labels, weights


def _shares(weights):
    # In two steps: the sum of the largest weights would overflow.
    weights = weights / weights.max()
    return (weights / weights.sum()).astype("float32")


def _check_count(lengths, labels):
    if len(lengths) != len(labels) or not len(lengths):
        raise ValueError(
            "Every row needs its label, and there must be rows. Received: "
            f"{len(lengths)} rows, {len(labels)} labels"
        )


def _check_shapes(name, values, lengths):
    """Raise unless there is one value for each token of each row."""
    shapes = [np.shape(of_row) for of_row in values]
    for row, (shape, length) in enumerate(zip(shapes, lengths, strict=False)):
        if shape != (length,):
            raise ValueError(
                f"Row {row} has {length} tokens, and each needs its own of `{name}`. "
                f"Received: {name}[{row}].shape={shape}"
            )
    if len(shapes) != len(lengths):
        raise ValueError(
            f"Every row needs its `{name}`. "
            f"Received: {len(lengths)} rows, {len(shapes)} of {name}"
        )


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
