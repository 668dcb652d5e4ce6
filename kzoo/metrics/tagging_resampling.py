"""The bootstrap over sentences: see `kzoo.metrics.resampling`.

Whole rows are drawn, with replacement, as many as there are: the words of a sentence
hang together, so they are drawn together.
"""

import dataclasses

import numpy as np

from kzoo.metrics.resampling import RESAMPLES

AT_ONCE = 64  # draws; bounds the memory that their weights need


def tagging_resampled(counts, resamples=RESAMPLES, seed=0):
    """Counts of each of several taggers on the same draws of the same rows.

    Args:
        counts: list of `TagCounts`, all of the same rows, of which there is one.
        resamples: int. How many draws, at least one.
        seed: int. Of NumPy's `default_rng`.

    Returns:
        list of `TagCounts` whose arrays are `(3, resamples, names)` and
        `(2, resamples)`.
    """
    rows = counts[0].words.shape[1]
    counts = [_floats(one) for one in counts]
    rng = np.random.default_rng(seed)
    parts = [[] for _ in counts]
    for first in range(0, resamples, AT_ONCE):
        draws = range(first, min(first + AT_ONCE, resamples))
        weights = np.stack(
            [np.bincount(rng.integers(0, rows, rows), minlength=rows) for _ in draws]
        ).astype("float64")  # (draws, rows); sums of whole numbers are exact
        for one, own in zip(counts, parts, strict=True):
            own.append(one.drawn(weights))
    return [_joined(own) for own in parts]


def _floats(counts):
    arrays = {name: getattr(counts, name) for name in ("own", "strict", "words")}
    return dataclasses.replace(
        counts,
        **{
            name: None if array is None else array.astype("float64")
            for name, array in arrays.items()
        },
    )


def _joined(parts):
    def together(name):
        arrays = [getattr(part, name) for part in parts]
        return None if arrays[0] is None else np.concatenate(arrays, axis=1)

    arrays = {name: together(name) for name in ("own", "strict", "words")}
    return dataclasses.replace(parts[0], **arrays)
