"""From which probability on a label is given: chosen on rows not trained on."""

import numpy as np

from kzoo.data.labels import sigmoid

DEFAULT = 0.5


def tuned_thresholds(labels, logits):
    """The threshold of each label with the highest F1 on these rows.

    Every threshold that tells two rows apart is tried. Of equally good ones, the
    nearest to one half is taken; and it is put half way between the two rows it tells
    apart, so that rounding, here or on another backend, moves neither.

    Args:
        labels: `(rows, C)` of 0 and 1.
        logits: float `(rows, C)`.

    Returns:
        Float64 `(C,)`, from 0 to 1; one half for a label that no row has.
    """
    found = sigmoid(logits)
    labels = np.asarray(labels)
    columns = zip(labels.T, found.T, strict=True)
    return np.array([_best(held, found) for held, found in columns])


def _best(held, found):
    """The threshold of one label.

    Args:
        held: `(rows,)` of 0 and 1.
        found: float `(rows,)`, probabilities.
    """
    if not held.any():
        return DEFAULT
    order = np.argsort(-found, kind="stable")
    held, found = held[order], found[order]
    count = np.arange(1, len(found) + 1)  # rows that get the label
    f1 = 2 * np.cumsum(held) / (count + held.sum())
    lower = np.append(found[1:], 0.0)
    apart = found > lower
    apart[-1] = True  # All rows may get the label.
    between = (found + lower)[apart] / 2
    f1 = f1[apart]
    best = between[f1 >= f1.max() - 1e-12]
    return float(best[np.argmin(np.abs(best - DEFAULT))])
