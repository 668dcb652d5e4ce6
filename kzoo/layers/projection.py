"""One matrix multiplication, with weights that are equal on every backend."""

import math

import keras

from kzoo.layers.low_rank import LowRank
from kzoo.layers.native import operations
from kzoo.layers.seeding import glorot_uniform


@keras.saving.register_keras_serializable(package="kzoo")
class Projection(keras.layers.Layer):
    """Maps the last axes of a tensor linearly, as `keras.layers.EinsumDense` does.

    Args:
        output_dims: int or tuple of int. The axes that replace the contracted ones:
            `D` for a dense layer, `(N, H)` to split into heads.
        num_input_axes: int. How many trailing axes are contracted: 1 for a dense
            layer, 2 to merge heads.
        use_bias: bool. Whether a bias is added.
        train_bias: bool. Whether training moves the bias.
        low_rank: dict of arguments of `kzoo.layers.LowRank`, or `None`: an update of
            low rank that is added to what the projection makes.

    Call arguments:
        inputs: float `(B, …, *input_dims)`.
        training: bool. Whether the dropout of an update acts.

    Returns:
        Float `(B, …, *output_dims)` in the compute dtype.
    """

    def __init__(
        self,
        output_dims,
        num_input_axes=1,
        use_bias=True,
        train_bias=True,
        low_rank=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        dims = (output_dims,) if isinstance(output_dims, int) else tuple(output_dims)
        self.output_dims = dims
        self.num_input_axes = num_input_axes
        self.use_bias = use_bias
        self.train_bias = train_bias
        self.kernel = None
        self.bias = None
        self.low_rank = None
        if low_rank is not None:
            self.add_low_rank(**low_rank)

    def add_low_rank(self, rank, alpha, dropout=0.0):
        """Add an update of low rank, see `kzoo.layers.LowRank`, before it is built."""
        self.low_rank = LowRank(
            rank, alpha, dropout, name="lora", dtype=self.dtype_policy
        )

    def build(self, input_shape):
        input_dims = tuple(input_shape[-self.num_input_axes :])
        if None in input_dims:
            raise ValueError(
                "The last axes of the inputs must be known to build a Projection. "
                f"Received: input_shape={tuple(input_shape)}"
            )
        fan_in, fan_out = math.prod(input_dims), math.prod(self.output_dims)
        self.kernel = self.add_weight(
            shape=input_dims + self.output_dims,
            initializer=glorot_uniform(self.path, "kernel", fan_in, fan_out),
            name="kernel",
        )
        if self.use_bias:
            self.bias = self.add_weight(
                shape=self.output_dims,
                initializer="zeros",
                trainable=self.train_bias,
                name="bias",
            )
        if self.low_rank is not None:
            self.low_rank.build(input_dims, self.output_dims)

    def call(self, inputs, training=None):
        kernel = operations.value_of(self.kernel, inputs.dtype)
        bias = self.bias
        if bias is not None:
            bias = operations.value_of(bias, inputs.dtype)
        outputs = operations.affine(inputs, kernel, bias, self.num_input_axes)
        if self.low_rank is not None:
            outputs = outputs + self.low_rank.call(inputs, training)
        return outputs

    def compute_output_shape(self, input_shape):
        return (*input_shape[: -self.num_input_axes], *self.output_dims)

    def get_config(self):
        config = {
            **super().get_config(),
            "output_dims": self.output_dims,
            "num_input_axes": self.num_input_axes,
            "use_bias": self.use_bias,
            "train_bias": self.train_bias,
        }
        if self.low_rank is not None:
            config["low_rank"] = self.low_rank.arguments
        return config
