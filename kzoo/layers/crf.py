"""A linear-chain conditional random field: tags that know their neighbours."""

import keras
import numpy as np
from keras import ops

from kzoo.layers.paths import CLOSED, negative_log_likelihood
from kzoo.layers.seeding import normal

MOST_CLASSES = 4096  # each may follow each: the work grows with their square


@keras.saving.register_keras_serializable(package="kzoo")
class LinearChainCRF(keras.layers.Layer):
    """Holds how well each class follows another.

    Args:
        num_classes: int. C.
        allowed: nested list of bool `(C + 2, C)`, laid out as the output, `True` where
            a step may be made. `None` allows all.

    Call arguments:
        emissions: float `(B, T, C)`. Only their number of rows counts.

    Returns:
        Float32 `(B, C + 2, C)`, equal in every row: in row 0 of the second axis the
        score of beginning with each class; in row 1 + i that of each class after
        class i; in row C + 1 that of ending with each. `CLOSED` where not allowed.

    Raises:
        ValueError: if there are more than 4,096 classes or `allowed` has another shape.

    Reference:
        - [Lafferty et al., 2001](https://repository.upenn.edu/cis_papers/159/)
    """

    def __init__(self, num_classes, allowed=None, **kwargs):
        super().__init__(**kwargs)
        if num_classes > MOST_CLASSES:
            raise ValueError(
                f"A CRF takes at most {MOST_CLASSES:,} classes. "
                f"Received: num_classes={num_classes}"
            )
        shape = (num_classes + 2, num_classes)
        if allowed is not None and np.shape(allowed) != shape:
            raise ValueError(
                f"`allowed` must have the shape {shape}. "
                f"Received: allowed.shape={np.shape(allowed)}"
            )
        self.num_classes = num_classes
        self.allowed = None if allowed is None else np.asarray(allowed, bool).tolist()
        self.start = self.transitions = self.end = None

    def build(self, emissions_shape):
        self.start = self._weight("start", (self.num_classes,))
        self.transitions = self._weight("transitions", (self.num_classes,) * 2)
        self.end = self._weight("end", (self.num_classes,))

    def _weight(self, name, shape):
        return self.add_weight(
            shape=shape, initializer=normal(self.path, name, 0.02), name=name
        )

    def call(self, emissions):
        start, end = ops.expand_dims(self.start, 0), ops.expand_dims(self.end, 0)
        scores = ops.concatenate([start, self.transitions, end])  # (C + 2, C)
        scores = ops.cast(scores, "float32")
        if self.allowed is not None:
            scores = ops.where(np.array(self.allowed), scores, CLOSED)
        return ops.broadcast_to(scores, (ops.shape(emissions)[0], *scores.shape))

    def compute_output_spec(self, emissions):
        shape = (emissions.shape[0], self.num_classes + 2, self.num_classes)
        return keras.KerasTensor(shape, dtype="float32")

    def get_config(self):
        return {
            **super().get_config(),
            "num_classes": self.num_classes,
            "allowed": self.allowed,
        }


def crf_loss(labels, outputs, weights):
    """Minus the logarithm of the probability of the labels, summed with `weights`.

    The chain of a row runs through its places of positive weight; those of no weight
    stand between the others as if they were not there.

    Args:
        labels: int `(B, T)`.
        outputs: dict of `logits`, float `(B, T, C)`, and `transitions`, float
            `(B, C + 2, C)`, as `LinearChainCRF` gives them.
        weights: float `(B, T)`, none negative, equal within a row where positive; if
            not, their mean counts. If all sum to one, the loss is the mean over the
            labels.

    Returns:
        Float32 scalar.
    """
    mask = weights > 0
    surprise = negative_log_likelihood(
        outputs["logits"], outputs["transitions"], labels, mask
    )
    number = ops.sum(ops.cast(mask, "float32"), axis=1)  # (B,)
    share = ops.sum(ops.where(mask, weights, 0.0), axis=1) / ops.maximum(number, 1.0)
    return ops.sum(share * surprise)
