"""Whether a model is right as often as it believes to be."""

import numpy as np

BINS = 15


def bin_of(confidences, bins=BINS):
    """The place of each confidence among `bins` of equal width, int64 `(rows,)`.

    A bin holds its upper edge and not its lower one, as in the paper; the first holds
    zero as well.
    """
    edges = np.linspace(0.0, 1.0, bins + 1)
    return np.searchsorted(edges[1:-1], confidences, side="left")


def calibration(confidences, correct, bins=BINS):
    """Confidence against accuracy, bin by bin, and the gap between the two.

    Args:
        confidences: float `(rows,)`. The probability of the predicted class.
        correct: bool `(rows,)`. Whether the prediction is right.
        bins: int. How many bins of equal width from 0 to 1.

    Returns:
        dict of `error`, the expected calibration error: the mean over all rows of
        |accuracy − confidence| of the row's bin; and `bins`, a list with a dict per
        bin: `from`, `to`, `rows`, and `confidence` and `accuracy`, their means, which
        are `None` for a bin without rows.

    Reference:
        - [Guo et al., 2017](https://arxiv.org/abs/1706.04599)
    """
    confidences, correct = np.asarray(confidences, "float64"), np.asarray(correct)
    place = bin_of(confidences, bins)
    rows = np.bincount(place, minlength=bins)
    believed = np.bincount(place, confidences, bins)
    right = np.bincount(place, correct, bins)
    return {
        "error": float(np.abs(right - believed).sum() / len(confidences)),
        "bins": [
            {
                "from": at / bins,
                "to": (at + 1) / bins,
                "rows": int(rows[at]),
                "confidence": float(believed[at] / rows[at]) if rows[at] else None,
                "accuracy": float(right[at] / rows[at]) if rows[at] else None,
            }
            for at in range(bins)
        ],
    }
