"""How well labels were found where a row may have any number of them."""

import numpy as np

from kzoo.data.labels import sigmoid
from kzoo.metrics.probabilities import check_finite
from kzoo.metrics.ranking import area_of


def multi_label_metrics(labels, logits, thresholds, names=None):
    """Figures over all labels and of each one, from scikit-learn.

    What has no value by its definition is 0.0: the precision of a label that is never
    given, the recall of one that no row has.

    Args:
        labels: `(rows, C)` of 0 and 1, at least one row.
        logits: float `(rows, C)`.
        thresholds: float `(C,)`. A label is given from this probability on.
        names: list of str, one per label. `None` numbers them.

    Returns:
        dict that JSON can hold: `accuracy`, the share of rows whose labels are all
        right and no other is given; `micro_f1` over all decisions; `macro_f1`, the
        mean over labels; `weighted_f1`, that mean weighted by their rows;
        `hamming_loss`, the share of wrong decisions; `loss`, the mean binary
        cross-entropy of a decision (natural logarithm); and `per_class`, by name
        `precision`, `recall`, `f1`, `roc_auc` (`None` where it has no value),
        `support` and `threshold`.

    Raises:
        KzooError: if a logit is not finite.
    """
    from sklearn.metrics import accuracy_score, f1_score, hamming_loss

    labels, logits = np.asarray(labels), np.asarray(logits, "float64")
    thresholds = np.asarray(thresholds, "float64")
    _check(labels, logits, thresholds)
    names = [str(place) for place in range(logits.shape[1])] if names is None else names
    held, given = labels.astype(int), decided(logits, thresholds)
    per_class = _per_class(held, given, logits, thresholds, names)
    options = {"zero_division": 0.0}
    if logits.shape[1] == 1:  # scikit-learn would take a column for two classes.
        held, given, options["labels"] = held[:, 0], given[:, 0], [1]
    return {
        "accuracy": float(accuracy_score(held, given)),
        **{
            f"{average}_f1": float(f1_score(held, given, average=average, **options))
            for average in ("macro", "micro", "weighted")
        },
        "hamming_loss": float(hamming_loss(held, given)),
        "loss": float(surprises(labels, logits).mean()),
        "per_class": per_class,
    }


def decided(logits, thresholds):
    """Which labels are given: int `(rows, C)` of 0 and 1."""
    return (sigmoid(logits) >= thresholds).astype(int)


def surprises(labels, logits):
    """Binary cross-entropy of every decision, float64 `(rows, C)`."""
    return np.logaddexp(0.0, np.where(labels, -logits, logits))


def _per_class(held, given, logits, thresholds, names):
    from sklearn.metrics import precision_recall_fscore_support

    rows = {}
    for place, name in enumerate(names):
        column = held[:, place], given[:, place]
        precision, recall, f1, _ = precision_recall_fscore_support(
            *column, average="binary", zero_division=0.0
        )
        rows[str(name)] = {
            "precision": float(precision),
            "recall": float(recall),
            "f1": float(f1),
            "roc_auc": area_of(column[0], logits[:, place]),
            "support": int(column[0].sum()),
            "threshold": float(thresholds[place]),
        }
    return rows


def _check(labels, logits, thresholds):
    fits = labels.ndim == 2 and labels.shape == logits.shape and labels.size
    if not fits or thresholds.shape != labels.shape[1:]:
        raise ValueError(
            "`labels` and `logits` must be (rows, C), with rows, and `thresholds` (C,)."
            f" Received: labels.shape={labels.shape}, logits.shape={logits.shape}, "
            f"thresholds.shape={thresholds.shape}"
        )
    check_finite(logits)
