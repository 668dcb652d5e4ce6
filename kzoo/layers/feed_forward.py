"""Feed-forward: what each token thinks by itself, plain or gated."""

import keras
from keras import ops

from kzoo.layers.dropout import Dropout
from kzoo.layers.native import operations
from kzoo.layers.parts import part
from kzoo.layers.projection import Projection

ACTIVATIONS = {
    "relu": ops.relu,
    "gelu": lambda x: operations.gelu(x),
    "gelu_tanh": lambda x: ops.gelu(x, approximate=True),
    "quick_gelu": lambda x: x * ops.sigmoid(1.702 * x),
    "silu": ops.silu,
    "tanh": ops.tanh,
    "linear": lambda x: x,
}


def activation_function(name):
    """Return the function of an activation's name.

    `"gelu"` is the exact one of BERT, `"gelu_tanh"` its tanh approximation,
    `"quick_gelu"` CLIP's, by a sigmoid; Keras' own name `"gelu"` would mean different
    things in different layers.

    Raises:
        ValueError: if `name` is not a key of `ACTIVATIONS`.
    """
    if name not in ACTIVATIONS:
        raise ValueError(
            f"`activation` must be one of {', '.join(map(repr, ACTIVATIONS))}. "
            f"Received: activation={name!r}"
        )
    return ACTIVATIONS[name]


@keras.saving.register_keras_serializable(package="kzoo")
class FeedForward(keras.layers.Layer):
    """Two projections with an activation between them.

    Args:
        hidden_dim: int. D, the width of inputs and outputs.
        intermediate_dim: int. The width between the projections.
        activation: a key of `ACTIVATIONS`.
        dropout: float. Share of the activations dropped in training.
        use_bias: bool. Whether the projections add a bias.

    Call arguments:
        hidden: float `(B, T, D)`.

    Returns:
        Float `(B, T, D)`.

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.3
    """

    gated = False

    def __init__(
        self,
        hidden_dim,
        intermediate_dim,
        activation="gelu",
        dropout=0.0,
        use_bias=True,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.hidden_dim = hidden_dim
        self.intermediate_dim = intermediate_dim
        self.activation = activation
        self._activate = activation_function(activation)
        self.use_bias = use_bias
        options = {"use_bias": use_bias, "dtype": self.dtype_policy}
        self.input_dense = Projection(intermediate_dim, name="input", **options)
        self.gate_dense = None
        if self.gated:
            self.gate_dense = Projection(intermediate_dim, name="gate", **options)
        self.dropout = Dropout(dropout, name="dropout", dtype=self.dtype_policy)
        self.output_dense = Projection(hidden_dim, name="output", **options)

    def build(self, input_shape):
        between = (*input_shape[:-1], self.intermediate_dim)
        self.input_dense.build(input_shape)
        if self.gate_dense is not None:
            self.gate_dense.build(input_shape)
        self.dropout.build(between)
        self.output_dense.build(between)

    def call(self, hidden, training=None):
        inner = self.input_dense.call(hidden, training)  # (B, T, intermediate_dim)
        if self.gate_dense is None:
            inner = self._activate(inner)
        else:
            inner = self._activate(self.gate_dense.call(hidden, training)) * inner
        if training:
            inner = self.dropout.call(inner, training=True)
        return self.output_dense.call(inner, training)  # (B, T, D)

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return {
            **super().get_config(),
            "hidden_dim": self.hidden_dim,
            "intermediate_dim": self.intermediate_dim,
            "activation": self.activation,
            "dropout": self.dropout.rate,
            "use_bias": self.use_bias,
        }


@keras.saving.register_keras_serializable(package="kzoo")
class GatedFeedForward(FeedForward):
    """Feed-forward whose activations are multiplied by a second projection.

    With `silu` it is SwiGLU, with `gelu` or `gelu_tanh` GeGLU, with `relu` ReGLU.
    Arguments and shapes are those of `FeedForward`.

    Reference:
        - [Shazeer, 2020](https://arxiv.org/abs/2002.05202)
    """

    gated = True


FEED_FORWARDS = {
    "relu": (FeedForward, "relu"),
    "gelu": (FeedForward, "gelu"),
    "gelu_tanh": (FeedForward, "gelu_tanh"),
    "silu": (FeedForward, "silu"),
    "reglu": (GatedFeedForward, "relu"),
    "geglu": (GatedFeedForward, "gelu"),
    "geglu_tanh": (GatedFeedForward, "gelu_tanh"),
    "swiglu": (GatedFeedForward, "silu"),
}


def feed_forward_part(feed_forward, hidden_dim, intermediate_dim):
    """Return the feed-forward that `feed_forward` names.

    Args:
        feed_forward: a key of `FEED_FORWARDS`, or a layer that maps `(B, T, D)` to
            `(B, T, D)` and serves as the pattern for every block.
        hidden_dim: int. D.
        intermediate_dim: int. The width between the projections.
    """
    choices = {
        name: lambda kind=kind, activation=activation: kind(
            hidden_dim, intermediate_dim, activation
        )
        for name, (kind, activation) in FEED_FORWARDS.items()
    }
    return part(feed_forward, choices, "feed_forward")
