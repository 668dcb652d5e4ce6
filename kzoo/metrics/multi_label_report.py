"""All that is said about a model that gives any number of labels to a row."""

import numpy as np

from kzoo.metrics.multi_label import decided, multi_label_metrics, surprises
from kzoo.metrics.multi_label_resampling import multi_label_resampled
from kzoo.metrics.report import WORST, called, described, listed, located, their
from kzoo.metrics.resampling import RESAMPLES, interval


def multi_label_report(
    rows, labels, logits, names, thresholds, resamples=RESAMPLES, seed=0, worst=WORST
):
    """Metrics with intervals, and the worst errors.

    Args:
        rows: `kzoo.data.readers.Rows`, for texts and lines.
        labels: `(rows, C)` of 0 and 1.
        logits: float `(rows, C)`.
        names: list of str, one per label.
        thresholds: float `(C,)`. A label is given from this probability on.
        resamples: int. Draws of the bootstrap; 0 leaves the intervals out.
        seed: int. Of these draws.
        worst: int. How many errors to list.

    Returns:
        dict that JSON can hold: what `multi_label_metrics` gives, and

        - `rows`: int; `labels`: list of str.
        - `intervals`: dict from metric to `[low, high]`; `bootstrap`: how they were
          made.
        - `errors`: int, rows with a label too many or too few; `worst`: list of dicts
          as `answer` gives them, of highest loss first.
        - `notes`: list of str, what a reader should know of these figures.
    """
    labels, logits = np.asarray(labels), np.asarray(logits, "float64")
    metrics = multi_label_metrics(labels, logits, thresholds, names)
    given, losses = decided(logits, thresholds), surprises(labels, logits)
    wrong = np.flatnonzero((given != labels).any(axis=1))
    of_row = losses.mean(axis=1)
    order = wrong[np.argsort(-of_row[wrong], kind="stable")][:worst]
    return {
        **metrics,
        "rows": len(labels),
        "labels": list(names),
        "intervals": intervals(labels, given, losses, resamples, seed),
        "bootstrap": described(resamples, seed),
        "errors": len(wrong),
        "worst": [
            located(rows, row) | answer(labels[row], given[row], of_row[row], names)
            for row in order
        ],
        "notes": notes(metrics["per_class"]),
    }


def intervals(labels, given, losses, resamples, seed):
    """The bootstrap's interval of each metric, by name; none without resamples.

    Args:
        labels, given: `(rows, C)` of 0 and 1.
        losses: float `(rows, C)`.
        resamples: int.
        seed: int.
    """
    if not resamples:
        return {}
    [figures] = multi_label_resampled(labels, [(given, losses)], resamples, seed)
    return {name: interval(values) for name, values in figures.items()}


def answer(held, given, loss, names):
    """What a model said about one row.

    Returns:
        dict of `gold` and `predicted`, lists of labels, and `loss`.
    """
    return {
        "gold": [names[place] for place in np.flatnonzero(held)],
        "predicted": [names[place] for place in np.flatnonzero(given)],
        "loss": float(loss),
    }


def notes(per_class):
    """Which figures have no value here, and what stands in their place."""
    said = []
    missing = [name for name, one in per_class.items() if not one["support"]]
    if missing:
        said.append(
            f"no row has the {called('label', missing)}: {their(missing)} recall "
            "counts as 0"
        )
    silent = [
        name for name, one in per_class.items() if one["support"] and not one["f1"]
    ]
    if silent:
        said.append(
            f"no row was rightly given {listed(silent)}: {their(silent)} F1 is 0"
        )
    return said
