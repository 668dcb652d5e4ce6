"""A low-rank update beside a projection that stands still (LoRA)."""

import math

import keras

from kzoo.layers.dropout import Dropout
from kzoo.layers.native import operations
from kzoo.layers.seeding import always_uniform


@keras.saving.register_keras_serializable(package="kzoo")
class LowRank(keras.layers.Layer):
    """Adds `alpha / rank · (x A) B` to what a projection makes of `x`.

    B begins as zeros, so that the sum begins as the projection's own, to the bit.

    Args:
        rank: int. R, the width between A and B.
        alpha: float. The update is scaled by `alpha / rank`.
        dropout: float. Share of `x` dropped in training, on this way only.

    Call arguments:
        inputs: float `(B, …, *input_dims)`, what the projection reads.
        training: bool. Whether dropout acts; `None` asks whoever calls the layers.

    Returns:
        Float `(B, …, *output_dims)`.

    Raises:
        ValueError: if an argument is out of range, or the rank is larger than that of
            any update of such a projection.

    Reference:
        - [Hu et al., 2021](https://arxiv.org/abs/2106.09685); A is drawn as
          [PEFT](https://github.com/huggingface/peft) draws it, uniform up to
          1 / sqrt(inputs)
    """

    def __init__(self, rank, alpha, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        if rank < 1:
            raise ValueError(f"`rank` must be at least 1. Received: rank={rank}")
        if not alpha > 0:
            raise ValueError(f"`alpha` must be above 0. Received: alpha={alpha}")
        self.rank = rank
        self.alpha = alpha
        self.scale = alpha / rank
        self.dropout = Dropout(dropout, name="dropout", dtype=self.dtype_policy)
        self.a = self.b = None
        self.num_input_axes = None

    def build(self, input_dims, output_dims):
        fan_in, fan_out = math.prod(input_dims), math.prod(output_dims)
        if self.rank > min(fan_in, fan_out):
            raise ValueError(
                f"`rank` must be at most {min(fan_in, fan_out)}, the smaller side of "
                f"{self.path}. Received: rank={self.rank}"
            )
        self.num_input_axes = len(input_dims)
        self.dropout.build()
        self.a = self.add_weight(
            shape=(*input_dims, self.rank),
            initializer=always_uniform(self.path, "a", fan_in**-0.5),
            name="a",
        )
        self.b = self.add_weight(
            shape=(self.rank, *output_dims), initializer="zeros", name="b"
        )

    def call(self, inputs, training=None):
        a = operations.value_of(self.a, inputs.dtype)
        b = operations.value_of(self.b, inputs.dtype)
        if training:
            inputs = self.dropout.call(inputs, training=True)
        inner = operations.affine(inputs, a, None, self.num_input_axes)  # (B, …, R)
        return operations.affine(inner, b, None, 1) * self.scale

    @property
    def arguments(self):
        """What `add_low_rank` of a projection takes."""
        return {
            "rank": self.rank,
            "alpha": self.alpha,
            "dropout": self.dropout.rate,
        }

    def get_config(self):
        return {**super().get_config(), **self.arguments}
