"""From a model's logits to probabilities, checked once for all that measures them."""

import numpy as np
from kzoo_recipes import KzooError


def checked(labels, logits, names=None):
    """Labels, logits and names as arrays that fit each other.

    Args:
        labels: int `(rows,)`, at least one.
        logits: float `(rows, classes)`.
        names: list of str, one per class. `None` numbers them.

    Returns:
        `labels`, int64; `logits`, float64; `names`, list of str.

    Raises:
        ValueError: if shapes or classes do not fit.
        KzooError: if a logit is not finite.
    """
    labels, logits = np.asarray(labels), np.asarray(logits, "float64")
    if logits.ndim != 2 or labels.shape != logits.shape[:1] or not len(labels):
        raise ValueError(
            "`labels` must be (rows,) and `logits` (rows, classes), with rows. "
            f"Received: labels.shape={labels.shape}, logits.shape={logits.shape}"
        )
    classes = logits.shape[1]
    names = [str(place) for place in range(classes)] if names is None else list(names)
    if len(names) != classes or labels.min() < 0 or labels.max() >= classes:
        raise ValueError(
            "Every class needs a name and every label a class. "
            f"Received: {len(names)} names, {classes} classes, "
            f"labels from {labels.min()} to {labels.max()}"
        )
    check_finite(logits)
    return labels.astype("int64"), logits, names


def check_finite(logits):
    """Raise a `KzooError` that counts the rows with an answer that is no number."""
    broken = np.flatnonzero(~np.isfinite(logits).all(axis=1))
    if len(broken):
        raise KzooError(
            f"The model's answer to row {broken[0]} is not a finite number, and "
            f"{len(broken)} of {len(logits)} are not: the training diverged; lower "
            "[training] learning_rate."
        )


def log_softmax(logits):
    """Logits less the logarithm of their sum of exponentials, row by row."""
    shifted = logits - logits.max(axis=1, keepdims=True)  # (rows, classes)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
