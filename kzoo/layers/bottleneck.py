"""A bottleneck adapter: two small layers behind a sub-layer that stands still."""

import keras

from kzoo.layers.feed_forward import activation_function
from kzoo.layers.native import operations
from kzoo.layers.seeding import always_uniform


@keras.saving.register_keras_serializable(package="kzoo")
class Bottleneck(keras.layers.Layer):
    """Narrows to `dim`, activates and widens again.

    What widens begins as zeros, so that a model with it begins as it was, to the bit.

    Args:
        dim: int. The width between the two layers.
        activation: a key of `kzoo.layers.feed_forward.ACTIVATIONS`.

    Call arguments:
        inputs: float `(B, T, D)`.

    Returns:
        Float `(B, T, D)`, to be added to the stream.

    Raises:
        ValueError: if `dim` is below 1, or there is no such activation.

    Reference:
        - [Houlsby et al., 2019](https://arxiv.org/abs/1902.00751)
    """

    def __init__(self, dim, activation="gelu", **kwargs):
        super().__init__(**kwargs)
        if dim < 1:
            raise ValueError(f"`dim` must be at least 1. Received: dim={dim}")
        self.dim = dim
        self.activation = activation
        self._activate = activation_function(activation)
        self.down = self.down_bias = self.up = self.up_bias = None

    def build(self, input_shape):
        width = input_shape[-1]
        self.down = self.add_weight(
            shape=(width, self.dim),
            initializer=always_uniform(self.path, "down", width**-0.5),
            name="down",
        )
        self.down_bias = self._zeros((self.dim,), "down_bias")
        self.up = self._zeros((self.dim, width), "up")
        self.up_bias = self._zeros((width,), "up_bias")

    def _zeros(self, shape, name):
        return self.add_weight(shape=shape, initializer="zeros", name=name)

    def call(self, inputs):
        down, down_bias, up, up_bias = (
            operations.value_of(weight, inputs.dtype)
            for weight in (self.down, self.down_bias, self.up, self.up_bias)
        )
        inner = operations.affine(inputs, down, down_bias, 1)  # (B, T, dim)
        return operations.affine(self._activate(inner), up, up_bias, 1)  # (B, T, D)

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return {**super().get_config(), "dim": self.dim, "activation": self.activation}
