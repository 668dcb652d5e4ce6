"""From one vector per token to one vector per text."""

import keras
from keras import ops

POOLINGS = ("mean", "first", "max")


@keras.saving.register_keras_serializable(package="kzoo")
class Pooling(keras.layers.Layer):
    """Sums up the real tokens of each text.

    Args:
        kind: "mean" averages the tokens, "max" takes the largest value of each
            dimension, "first" takes the first token (`[CLS]`).

    Call arguments:
        hidden: float `(B, T, D)`.
        padding_mask: bool `(B, T)`. `True` marks a token, `False` padding.

    Returns:
        Float `(B, D)`. Zeros for a row that is all padding, except with "first".

    Raises:
        ValueError: if `kind` is none of these.
    """

    def __init__(self, kind="mean", **kwargs):
        super().__init__(**kwargs)
        if kind not in POOLINGS:
            raise ValueError(
                f"`kind` must be one of {', '.join(map(repr, POOLINGS))}. "
                f"Received: kind={kind!r}"
            )
        self.kind = kind

    def build(self, hidden_shape):
        pass

    def call(self, hidden, padding_mask):
        if self.kind == "first":
            return hidden[:, 0]  # (B, D)
        mask = ops.expand_dims(padding_mask, -1)  # (B, T, 1)
        if self.kind == "max":
            lowest = ops.min(hidden, axis=1, keepdims=True)  # (B, 1, D)
            highest = ops.max(ops.where(mask, hidden, lowest), axis=1)
            return highest * ops.cast(ops.any(mask, axis=1), hidden.dtype)
        kept = ops.cast(mask, hidden.dtype)
        total = ops.sum(hidden * kept, axis=1)  # (B, D)
        return total / ops.maximum(ops.sum(kept, axis=1), 1)

    def compute_output_shape(self, hidden_shape, padding_mask_shape=None):
        return (hidden_shape[0], hidden_shape[2])

    def compute_output_spec(self, hidden, padding_mask):
        shape = (hidden.shape[0], hidden.shape[2])
        return keras.KerasTensor(shape, dtype=self.compute_dtype)

    def get_config(self):
        return {**super().get_config(), "kind": self.kind}
