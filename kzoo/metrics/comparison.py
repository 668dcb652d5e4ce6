"""Whether one model is better than another on the same rows, or only seems so."""

import numpy as np

from kzoo.metrics.classification import classification_metrics
from kzoo.metrics.probabilities import checked, log_softmax
from kzoo.metrics.report import answer, described, located, losses_of
from kzoo.metrics.resampling import RESAMPLES, Answers, interval, resampled

CHANGED = 10


def mcnemar(first_right, second_right):
    """McNemar's exact test of two models' rights and wrongs on the same rows.

    If both were equally good, a row that only one of them gets right would be as
    likely the first's as the second's: the smaller count is held against a fair coin.

    Args:
        first_right: bool `(rows,)`.
        second_right: bool `(rows,)`.

    Returns:
        dict of `only_first` and `only_second`, counts of rows, and of `p_value`, which
        is two-sided; 1 if no row is apart.

    Reference:
        - [McNemar, 1947](https://doi.org/10.1007/BF02295996)
    """
    from scipy.stats import binomtest

    first_right, second_right = np.asarray(first_right), np.asarray(second_right)
    only_first = int(np.sum(first_right & ~second_right))
    only_second = int(np.sum(second_right & ~first_right))
    apart = only_first + only_second
    p_value = binomtest(only_first, apart).pvalue if apart else 1.0
    return {
        "only_first": only_first,
        "only_second": only_second,
        "p_value": float(p_value),
    }


def comparison(
    rows, labels, logits, names, resamples=RESAMPLES, seed=0, changed=CHANGED
):
    """Two models on the same rows.

    Args:
        rows: `kzoo.data.readers.Rows`, for texts and lines.
        labels: int `(rows,)`.
        logits: pair of float `(rows, classes)`, of the first and the second model.
        names: list of str, one per class, of both.
        resamples: int. Draws of the paired bootstrap; 0 leaves intervals out.
        seed: int. Of these draws.
        changed: int. How many rows to list of those that changed sides, each way.

    Returns:
        dict that JSON can hold:

        - `rows`: int; `labels`: list of str.
        - `metrics`: by name a dict of `first`, `second`, `difference` (second less
          first) and, from the same draws of rows for both, `interval`, the percentiles
          of the difference.
        - `bootstrap`: how the intervals were made.
        - `mcnemar`: see `mcnemar`.
        - `only_first`, `only_second`: list of the rows that only this model gets
          right, those where the gold label's probability differs most first: `row`,
          `line`, `text`, `gold`, and `first` and `second`, each with `predicted`,
          `probability`, `gold_probability` and `loss`.
    """
    checks = [checked(labels, one, names) for one in logits]
    labels, names = checks[0][0], checks[0][2]
    both = [Answers(labels, one) for _, one, _ in checks]
    scores = [log_softmax(one.logits) for one in both]
    figures = [classification_metrics(labels, one.logits, names) for one in both]
    drawn = resampled(both, resamples, seed) if resamples else None
    right = [one.logits.argmax(axis=1) == labels for one in both]
    losses = [losses_of(labels, one) for one in scores]
    gap = np.abs(np.exp(-losses[0]) - np.exp(-losses[1]))

    def said(row):
        return [answer(labels, one, names, row) for one in scores]

    return {
        "rows": len(labels),
        "labels": names,
        "metrics": differences(figures, drawn),
        "bootstrap": described(resamples, seed),
        **sides(rows, right, gap, said, changed),
    }


def sides(rows, right, gap, said, changed):
    """Which rows only one of two models gets right, and whether that is chance.

    Args:
        rows: `kzoo.data.readers.Rows`.
        right: pair of bool `(rows,)`.
        gap: float `(rows,)`. The rows where it is largest are listed first.
        said: function from a row to the pair of answers, dicts with the same `gold`.
        changed: int. How many rows to list, each way.

    Returns:
        dict of `mcnemar`, `only_first` and `only_second`; see `comparison`.
    """

    def listed(which):
        found = np.flatnonzero(which)
        order = found[np.argsort(-gap[found], kind="stable")][:changed]
        return [located(rows, row) | _beside(*said(row)) for row in order]

    return {
        "mcnemar": mcnemar(*right),
        "only_first": listed(right[0] & ~right[1]),
        "only_second": listed(right[1] & ~right[0]),
    }


def _beside(first, second):
    """Two answers to one row; what is gold is said once."""
    gold = first.pop("gold")
    del second["gold"]
    return {"gold": gold, "first": first, "second": second}


def differences(figures, drawn=None):
    """What a second model has more than a first, metric by metric.

    Args:
        figures: pair of dicts of metrics; only those that are one number count.
        drawn: pair of dicts of the same metrics, float `(resamples,)`, on the same
            draws of rows. `None` leaves intervals out.

    Returns:
        dict by metric of `first`, `second`, `difference` and `interval`.
    """
    found = {}
    for name, first in figures[0].items():
        if not isinstance(first, float):
            continue
        second = figures[1][name]
        found[name] = {"first": first, "second": second, "difference": second - first}
        if drawn:
            found[name]["interval"] = interval(drawn[1][name] - drawn[0][name])
    return found
