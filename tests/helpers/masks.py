"""Measures of dropout masks, and the mask in plain Python integers."""

import numpy as np

WORD = 0xFFFFFFFF


def mix(x):
    """Wellons' lowbias32, on Python integers in [0, 2³²)."""
    x = (x ^ x >> 16) * 0x7FEB352D & WORD
    x = (x ^ x >> 15) * 0x846CA68B & WORD
    return x ^ x >> 16


def mask_in_integers(key, counter, rows, columns, rate):
    """Return the nested list of what is kept, computed without any array."""
    salts = [
        mix(mix(counter + 0x9E3779B9 * index & WORD) ^ (key & WORD)) for index in (1, 2)
    ]
    row_hash = [mix(row ^ salts[0]) | 1 for row in range(rows)]
    column_hash = [mix(column ^ salts[1]) for column in range(columns)]
    threshold = round(rate * 2**32)
    return [  # unsigned x is kept where x − 2³¹, taken as signed, is
        [((r * c + 2**31) & WORD) >= threshold for c in column_hash] for r in row_hash
    ]


LAGS = (1, 2, 3, 4, 8, 16, 32, 64, 128)


def z_scores(mask_of, rate, steps):
    """Return {name: |z|} of the ways in which masks can be unfair; each is 0 to 5.

    Args:
        mask_of: function from a step to a bool array `(R, C)`, `True` = kept.
        rate: float. The share that should be dropped.
        steps: int. Number of masks to draw.
    """
    masks = np.stack([mask_of(step) for step in range(steps)])  # (steps, R, C)
    x = (~masks - rate) / np.sqrt(rate * (1 - rate))  # mean 0, variance 1 if fair
    _, rows, columns = x.shape
    found = {
        "overall": of_mean(x),
        "steps": of_spread(x, (1, 2)),
        "rows": of_spread(x, (2,)),
        "rows of all steps": of_spread(x, (0, 2)),
        "columns": of_spread(x, (1,)),
        "columns of all steps": of_spread(x, (0, 1)),
        "step lag": of_mean(x[1:] * x[:-1]),
    }
    for lag in LAGS:
        if lag < rows:
            pairs = x[:, lag:] * x[:, :-lag]
            found[f"row lag {lag}"] = of_mean(pairs)
            found[f"row pairs {lag}"] = of_spread(pairs, (2,))
        if lag < columns:
            pairs = x[:, :, lag:] * x[:, :, :-lag]
            found[f"column lag {lag}"] = of_mean(pairs)
            found[f"column pairs {lag}"] = of_spread(pairs, (1,))
    if columns > 1:
        found["rectangles"] = rectangles(x)
    return found


def of_mean(x):
    """Return |z| of the mean of `x`, which should be 0 with variance 1."""
    return float(abs(x.mean()) * np.sqrt(x.size))


def of_spread(x, axes):
    """Return |z| of how widely the sums over `axes` are spread (chi-square).

    Dependent elements make sums that spread too widely, too even ones too narrowly.
    """
    count = np.prod([x.shape[axis] for axis in axes])
    squares = x.sum(axes) ** 2 / count  # mean 1 each
    if squares.size < 30:  # too few to measure their own deviation
        return float(abs(squares.mean() - 1) * np.sqrt(squares.size / 2))
    deviation = max(squares.std(), 1e-9)
    return float(abs(squares.mean() - 1) * np.sqrt(squares.size) / deviation)


def rectangles(x):
    """Return |z| of the product of the corners of random rectangles.

    A mask made of a row part and a column part betrays itself here and nowhere in
    rows, columns or pairs: three corners tell the fourth.
    """
    steps, rows, columns = x.shape
    rng = np.random.default_rng(0)
    count = 200_000
    step = rng.integers(0, steps, count)
    top = rng.integers(0, rows, count)
    bottom = (top + rng.integers(1, rows, count)) % rows
    left = rng.integers(0, columns, count)
    right = (left + rng.integers(1, columns, count)) % columns
    corners = x[step, top, left] * x[step, top, right]
    corners = corners * x[step, bottom, left] * x[step, bottom, right]
    return float(abs(corners.sum()) / np.sqrt(count))
