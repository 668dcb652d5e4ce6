"""How well classes were told apart: scikit-learn's figures, in plain numbers."""

import numpy as np
from kzoo_recipes import KzooError
from sklearn.metrics import accuracy_score, f1_score, precision_recall_fscore_support


def classification_metrics(labels, logits, names=None):
    """Accuracy, macro F1, mean cross-entropy and the figures of each class.

    What has no value by its definition is 0.0: the precision of a class that is never
    predicted, the recall of one that has no rows. Macro F1 is the mean over the
    classes that occur among the labels or the predictions, as in scikit-learn.

    Args:
        labels: int `(rows,)`, at least one.
        logits: float `(rows, classes)`. Log-probabilities are logits too.
        names: list of str, one per class. `None` numbers them.

    Returns:
        dict that JSON can hold: `accuracy`, `macro_f1`, `loss` (natural logarithm),
        and `per_class`, by name `precision`, `recall`, `f1` and `support`.
    """
    labels, logits = np.asarray(labels), np.asarray(logits, "float64")
    if logits.ndim != 2 or labels.shape != logits.shape[:1] or not len(labels):
        raise ValueError(
            "`labels` must be (rows,) and `logits` (rows, classes), with rows. "
            f"Received: labels.shape={labels.shape}, logits.shape={logits.shape}"
        )
    classes = np.arange(logits.shape[1])
    names = [str(place) for place in classes] if names is None else list(names)
    if len(names) != len(classes) or labels.min() < 0 or labels.max() >= len(classes):
        raise ValueError(
            "Every class needs a name and every label a class. "
            f"Received: {len(names)} names, {len(classes)} classes, "
            f"labels from {labels.min()} to {labels.max()}"
        )
    broken = np.flatnonzero(~np.isfinite(logits).all(axis=1))
    if len(broken):
        raise KzooError(
            f"The model's answer to row {broken[0]} is not a finite number, and "
            f"{len(broken)} of {len(logits)} are not: the training diverged; lower "
            "[training] learning_rate."
        )
    predicted = logits.argmax(axis=1)
    figures = precision_recall_fscore_support(
        labels, predicted, labels=classes, zero_division=0.0
    )
    keys = ("precision", "recall", "f1", "support")
    per_class = {
        name: dict(zip(keys, (*map(float, row[:3]), int(row[3])), strict=True))
        for name, row in zip(names, zip(*figures, strict=True), strict=True)
    }
    return {
        "accuracy": float(accuracy_score(labels, predicted)),
        "macro_f1": float(
            f1_score(labels, predicted, average="macro", zero_division=0.0)
        ),
        "loss": _cross_entropy(labels, logits),
        "per_class": per_class,
    }


def _cross_entropy(labels, logits):
    """Mean of log(sum(exp(logits))) minus the logit of the label."""
    highest = logits.max(axis=1)
    norm = highest + np.log(np.exp(logits - highest[:, None]).sum(axis=1))
    return float(np.mean(norm - logits[np.arange(len(labels)), labels]))
