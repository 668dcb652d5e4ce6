"""All that is said about a model that gives any number of labels to a row."""

import numpy as np

from kzoo.metrics.multi_label import decided, multi_label_metrics, surprises
from kzoo.metrics.report import WORST, described, listed, located
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
    rows, classes = labels.shape
    rng = np.random.default_rng(seed)
    summed = np.zeros((5, resamples, classes))
    parts = labels, given, labels * given, labels != given, losses
    exact = np.zeros(resamples)
    for draw in range(resamples):
        weights = np.bincount(rng.integers(0, rows, rows), minlength=rows)
        exact[draw] = weights @ (labels == given).all(axis=1)
        for place, part in enumerate(parts):
            summed[place, draw] = weights @ part
    held, said, hits, wrong, loss = summed  # each (draws, C)
    f1 = 2 * hits / np.maximum(held + said, 1)
    whole = np.maximum((held + said).sum(axis=1), 1)
    figures = {
        "accuracy": exact / rows,
        "macro_f1": f1.mean(axis=1),
        "micro_f1": 2 * hits.sum(axis=1) / whole,
        "weighted_f1": (f1 * held).sum(axis=1) / np.maximum(held.sum(axis=1), 1),
        "hamming_loss": wrong.sum(axis=1) / (rows * classes),
        "loss": loss.sum(axis=1) / (rows * classes),
    }
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
        said.append(f"no row has the label {listed(missing)}: its recall counts as 0")
    silent = [
        name for name, one in per_class.items() if one["support"] and not one["f1"]
    ]
    if silent:
        said.append(f"no row was rightly given {listed(silent)}: its F1 is 0")
    return said
