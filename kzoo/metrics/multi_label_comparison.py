"""Two models that give any number of labels to a row; see `comparison`."""

import numpy as np

from kzoo.metrics.comparison import CHANGED, differences, sides
from kzoo.metrics.multi_label import decided, multi_label_metrics, surprises
from kzoo.metrics.multi_label_report import answer
from kzoo.metrics.multi_label_resampling import multi_label_resampled
from kzoo.metrics.report import described
from kzoo.metrics.resampling import RESAMPLES


def multi_label_comparison(
    rows,
    labels,
    logits,
    names,
    thresholds,
    resamples=RESAMPLES,
    seed=0,
    changed=CHANGED,
):
    """Two models on the same rows. A row is right if all its labels are, and no other.

    Args:
        rows: `kzoo.data.readers.Rows`, for texts and lines.
        labels: `(rows, C)` of 0 and 1.
        logits: pair of float `(rows, C)`, of the first and the second model.
        names: list of str, one per label, of both.
        thresholds: pair of float `(C,)`. A label is given from this probability on.
        resamples: int. Draws of the paired bootstrap; 0 leaves intervals out.
        seed: int. Of these draws.
        changed: int. How many rows to list of those that changed sides, each way.

    Returns:
        dict as `kzoo.metrics.comparison.comparison` gives it; `gold` and `predicted`
        are lists of labels, and the rows whose losses differ most stand first.
    """
    labels = np.asarray(labels, int)
    logits = [np.asarray(one, "float64") for one in logits]
    pairs = list(zip(logits, thresholds, strict=True))
    figures = [multi_label_metrics(labels, *pair, names) for pair in pairs]
    given = [decided(*pair) for pair in pairs]
    losses = [surprises(labels, one) for one in logits]
    said = list(zip(given, losses, strict=True))
    drawn = multi_label_resampled(labels, said, resamples, seed) if resamples else None
    right = [(one == labels).all(axis=1) for one in given]
    of_row = [one.mean(axis=1) for one in losses]
    gap = np.abs(of_row[0] - of_row[1])

    def said_of(row):
        return [
            answer(labels[row], one[row], loss[row], names)
            for one, loss in zip(given, of_row, strict=True)
        ]

    return {
        "rows": len(labels),
        "labels": list(names),
        "metrics": differences(figures, drawn),
        "bootstrap": described(resamples, seed),
        **sides(rows, right, gap, said_of, changed),
    }
