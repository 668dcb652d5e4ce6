"""Losses as weighted sums: the weights come normalised from the host.

A mean inside the loss would be wrong as soon as a batch is split over
micro-batches or devices; a sum whose weights add up to one over the whole group
stays right however it is split.
"""

import functools

from keras import ops


def cross_entropy(labels, logits, weights, label_smoothing=0.0):
    """Softmax cross-entropy, summed with `weights`, in float32.

    Args:
        labels: int `(...)`. In range: the host has checked them.
        logits: float `(..., C)`.
        weights: float `(...)`. Sum to one over all that is one update.
        label_smoothing: float. Share of the target spread evenly over all C classes.

    Returns:
        Float32 scalar.
    """
    logits = ops.cast(logits, "float32")
    labels = ops.expand_dims(labels, -1)  # (..., 1)
    chosen = ops.take_along_axis(logits, labels, axis=-1)  # (..., 1)
    target = (1.0 - label_smoothing) * ops.squeeze(chosen, -1)  # (...)
    if label_smoothing:
        target = target + label_smoothing * ops.mean(logits, axis=-1)
    return ops.sum(weights * (ops.logsumexp(logits, axis=-1) - target))


LOSSES = {"cross_entropy": cross_entropy}


def make_loss(name, **options):
    """The loss `name` of `LOSSES` as `fn(labels, logits, weights)`."""
    return functools.partial(LOSSES[name], **options)
