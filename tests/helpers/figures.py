"""Reports to show: made by kzoo.metrics from numbers drawn here."""

import numpy as np
import scipy.stats

from kzoo.data.readers import Rows
from kzoo.metrics.report import report


def numbered(rows):
    """Rows with the texts `text 0`, `text 1`, …, from line 2 on, without labels."""
    return Rows(
        [f"text {row}" for row in range(rows)],
        None,
        list(range(2, rows + 2)),
        "rows.csv",
    )


def figures(names=("bad", "good"), rows=40, texts=None, **options):
    """What `kzoo.evaluate` gives for random answers to `rows` texts."""
    rng = np.random.default_rng(1)
    classes = len(names)
    labels = rng.integers(0, classes, rows)
    logits = rng.normal(size=(rows, classes)) + 1.5 * np.eye(classes)[labels]
    shown = numbered(rows)
    if texts:
        shown = Rows(texts, None, shown.lines, "rows.csv")
    found = report(shown, labels, logits, list(names), resamples=20, **options)
    return {"run": "runs/mine/jax", "source": "rows.csv", **found}


def scipys_interval(statistic, rows, resamples, seed):
    """SciPy's percentile interval of a figure of drawn rows.

    Args:
        statistic: function from the numbers of the drawn rows to a figure.
        rows: int. How many rows there are.
        resamples: int. How many draws.
        seed: int. Of NumPy's `default_rng`.
    """
    return list(
        scipy.stats.bootstrap(
            (np.arange(rows),),
            statistic,
            vectorized=False,
            n_resamples=resamples,
            method="percentile",
            rng=np.random.default_rng(seed),
        ).confidence_interval
    )
