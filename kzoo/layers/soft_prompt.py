"""Vectors before a text that no token stands for, learnt for a task."""

import keras
from keras import ops

from kzoo.layers.seeding import always_uniform


@keras.saving.register_keras_serializable(package="kzoo")
class SoftPrompt(keras.layers.Layer):
    """`length` vectors that stand before the token vectors of every text.

    They begin uniform from -0.5 to 0.5, as in the paper where they are not those of
    tokens.

    Args:
        length: int. P, the number of vectors.

    Call arguments:
        hidden: float `(B, T, D)`, what the embedding makes of a text.

    Returns:
        Float `(B, P + T, D)`.

    Raises:
        ValueError: if `length` is below 1.

    Reference:
        - [Lester et al., 2021](https://arxiv.org/abs/2104.08691)
    """

    def __init__(self, length, **kwargs):
        super().__init__(**kwargs)
        if length < 1:
            raise ValueError(f"`length` must be at least 1. Received: length={length}")
        self.length = length
        self.vectors = None

    def build(self, hidden_shape):
        self.vectors = self.add_weight(
            shape=(self.length, hidden_shape[-1]),
            initializer=always_uniform(self.path, "vectors", 0.5),
            name="vectors",
        )

    def call(self, hidden):
        batch, _, width = ops.shape(hidden)
        own = ops.cast(self.vectors, hidden.dtype)
        own = ops.broadcast_to(own[None], (batch, self.length, width))
        return ops.concatenate([own, hidden], axis=1)  # (B, P + T, D)

    def before(self, padding_mask):
        """The mask `(B, P + T)` of a text's `(B, T)`: the vectors are no padding."""
        batch = ops.shape(padding_mask)[0]
        ones = ops.ones((batch, self.length), dtype="bool")
        return ops.concatenate([ones, ops.cast(padding_mask, "bool")], axis=1)

    def places(self, positions):
        """The places `(P + T,)` of all that is read; the tokens' are from 0 on."""
        length = ops.shape(positions)[0] + self.length
        return ops.arange(length, dtype="int32") - self.length

    def after(self, answer):
        """What a stack says of the tokens: its output, and what was asked."""
        if not isinstance(answer, tuple):
            return answer[:, self.length :]  # (B, T, D)
        hidden, extras = answer
        states = extras.get("hidden_states")
        if states is not None:
            states = [state[:, self.length :] for state in states]
            extras = {**extras, "hidden_states": states}
        return hidden[:, self.length :], extras

    def get_config(self):
        return {**super().get_config(), "length": self.length}
