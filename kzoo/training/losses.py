"""Losses as weighted sums: the weights come normalised from the host.

A mean inside the loss would be wrong as soon as a batch is split over
micro-batches or devices; a sum whose weights add up to one over the whole group
stays right however it is split.

Every loss here but `crf` and `copy` is made of one quantity, `-log sigmoid(margin)`.
For a label of several, the margin is its logit against the log of the sum of the
others'; for a label of its own, it is its logit. In terms of margins nothing overflows
and every gradient is finite, however sure the model is, right or wrong.
"""

import functools

import numpy as np
from keras import ops

from kzoo.layers.copying import copy_loss
from kzoo.layers.crf import crf_loss

MASKED = float(np.finfo("float32").min) / 2  # below every logit; twice it is finite


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


def each_token(labels, logits, weights):
    """The surprise at each label and whether it was the likeliest, for measuring.

    Args:
        labels: int `(...)`. In range: the host has checked them.
        logits: float `(..., C)`.
        weights: float `(...)`.

    Returns:
        Float32 `(..., 2)`, both multiplied by the weights.
    """
    logits = ops.cast(logits, "float32")
    chosen = ops.take_along_axis(logits, ops.expand_dims(labels, -1), axis=-1)
    surprise = ops.logsumexp(logits, axis=-1) - ops.squeeze(chosen, -1)  # (...)
    best = ops.cast(ops.argmax(logits, axis=-1), labels.dtype)
    right = ops.cast(best == labels, "float32")
    return ops.stack([weights * surprise, weights * right], axis=-1)  # (..., 2)


def focal(labels, logits, weights, label_smoothing=0.0, focal_gamma=2.0):
    """Softmax cross-entropy that looks away from what the model already knows.

    Each term `-log p` is multiplied by `(1 - p) ** focal_gamma`. The paper's alpha is
    a weight of the class, and those are in `weights`.

    Args:
        labels: int `(...)`. In range: the host has checked them.
        logits: float `(..., C)`.
        weights: float `(...)`. Sum to one over all that is one update.
        label_smoothing: float. Share of the target spread evenly over all C classes.
        focal_gamma: float, at least 0, which is cross-entropy.

    Returns:
        Float32 scalar.

    Reference:
        - [Lin et al., 2017](https://arxiv.org/abs/1708.02002)
    """
    logits = ops.cast(logits, "float32")
    classes = logits.shape[-1]
    target = ops.one_hot(labels, classes, dtype="float32")  # (..., C)
    if label_smoothing:
        target = (1.0 - label_smoothing) * target + label_smoothing / classes
    terms = _surprise(_margins(logits), focal_gamma)  # (..., C)
    return ops.sum(weights * ops.sum(target * terms, axis=-1))


def sigmoid_cross_entropy(labels, logits, weights, **options):
    """Binary cross-entropy of each label on its own: `sigmoid_focal` with gamma 0.

    Args: see `sigmoid_focal`.
    """
    return sigmoid_focal(labels, logits, weights, focal_gamma=0.0, **options)


def sigmoid_focal(
    labels,
    logits,
    weights,
    label_smoothing=0.0,
    focal_gamma=2.0,
    class_weights=None,
):
    """Binary focal loss of each label on its own, averaged over the labels.

    Args:
        labels: float `(..., C)`, 1 where a label holds and 0 where it does not.
        logits: float `(..., C)`.
        weights: float `(...)`. Sum to one over all that is one update.
        label_smoothing: float. Share of the target spread evenly over yes and no; the
            loss is then the expected one under that target.
        focal_gamma: float, at least 0, which is cross-entropy.
        class_weights: float `(2, C)`, numpy. What a row counts for a label that does
            not hold (0) and one that does (1). `None` counts all alike.

    Returns:
        Float32 scalar.

    Reference:
        - [Lin et al., 2017](https://arxiv.org/abs/1708.02002)
    """
    logits = ops.cast(logits, "float32")
    labels = ops.cast(labels, "float32")
    target = (1.0 - label_smoothing) * labels + label_smoothing / 2
    terms = target * _surprise(logits, focal_gamma)  # (..., C)
    terms = terms + (1.0 - target) * _surprise(-logits, focal_gamma)
    if class_weights is not None:
        no, yes = ops.convert_to_tensor(np.asarray(class_weights, "float32"))  # (C,)
        terms = terms * ops.where(labels > 0, yes, no)
    return ops.sum(weights * ops.mean(terms, axis=-1))


def _surprise(margin, gamma):
    """`-log p * (1 - p) ** gamma` for `p = sigmoid(margin)`."""
    surprise = ops.softplus(-margin)
    return ops.exp(-gamma * ops.softplus(margin)) * surprise if gamma else surprise


def _margins(logits):
    """Each logit minus the logsumexp of the others: `p = sigmoid(margin)`.

    Only the highest logit can have a `p` above one half, where `1 - p` would cancel;
    for that one the others are summed anew.
    """
    classes = logits.shape[-1]
    highest = ops.max(logits, axis=-1, keepdims=True)
    logits = logits - ops.stop_gradient(highest)  # Now huge ones add up exactly, too.
    top = ops.one_hot(ops.argmax(logits, axis=-1), classes, dtype="bool")  # (..., C)
    norm = ops.logsumexp(logits, axis=-1, keepdims=True)  # (..., 1)
    below = ops.where(top, MASKED, logits)
    without_top = ops.logsumexp(below, axis=-1, keepdims=True)  # (..., 1)
    p = ops.exp(ops.where(top, MASKED, logits - norm))  # 0 at the top, else to 1/2
    return logits - ops.where(top, without_top, norm + ops.log1p(-p))


LOSSES = {
    "copy": copy_loss,
    "crf": crf_loss,
    "cross_entropy": cross_entropy,
    "each_token": each_token,
    "focal": focal,
    "sigmoid_cross_entropy": sigmoid_cross_entropy,
    "sigmoid_focal": sigmoid_focal,
}


def make_loss(name, **options):
    """The loss `name` of `LOSSES` as `fn(labels, logits, weights)`."""
    return functools.partial(LOSSES[name], **options)
