"""Figures that are ratios of sums over rows, as they are and on draws of the rows."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Ratios:
    """Figures by name, each a sum over rows by another.

    Attributes:
        names: list of str.
        over, below: float64 `(rows, names)`. What is summed above and below the line.
    """

    names: list
    over: np.ndarray
    below: np.ndarray

    @classmethod
    def of(cls, columns):
        """From a dict of name to values, or to a pair of what is above and below.

        Values alone have their mean taken, float `(rows,)`; rows that are NaN have
        no value and do not count.
        """
        pairs = [
            one if isinstance(one, tuple) else (np.nan_to_num(one), ~np.isnan(one))
            for one in columns.values()
        ]
        over, below = (np.stack(side, axis=1) for side in zip(*pairs, strict=True))
        return cls(list(columns), over.astype("float64"), below.astype("float64"))

    def __len__(self):
        return len(self.over)

    def figures(self):
        """dict of float; 0.0 where nothing stands below the line."""
        rows = np.ones((1, len(self)))
        return {name: float(values[0]) for name, values in self.drawn(rows).items()}

    def drawn(self, weights):
        """The figures on draws of the rows.

        Args:
            weights: float64 `(draws, rows)`. How often a row was drawn.

        Returns:
            dict of float64 `(draws,)`.
        """
        over, below = weights @ self.over, weights @ self.below  # (draws, names)
        values = np.divide(over, below, out=np.zeros_like(over), where=below > 0)
        return dict(zip(self.names, values.T, strict=True))


def ratios_resampled(ratios, resamples, seed=0, at_once=64):
    """The figures of each of several on the same draws of the same rows.

    Args:
        ratios: list of `Ratios`, all of the same rows, of which there is one.
        resamples: int. How many draws, at least one.
        seed: int. Of NumPy's `default_rng`.
        at_once: int. How many draws to hold in memory.

    Returns:
        list of dicts of float64 `(resamples,)`.
    """
    rows = len(ratios[0])
    rng = np.random.default_rng(seed)
    parts = [[] for _ in ratios]
    for first in range(0, resamples, at_once):
        draws = range(first, min(first + at_once, resamples))
        weights = np.stack(
            [np.bincount(rng.integers(0, rows, rows), minlength=rows) for _ in draws]
        ).astype("float64")  # (draws, rows)
        for one, own in zip(ratios, parts, strict=True):
            own.append(one.drawn(weights))
    return [
        {name: np.concatenate([part[name] for part in own]) for name in own[0]}
        for own in parts
    ]
