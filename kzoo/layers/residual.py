"""What surrounds a sub-layer: norms in their slots, dropout, an adapter and the sum."""

import keras

from kzoo.layers.bottleneck import Bottleneck
from kzoo.layers.dropout import Dropout
from kzoo.layers.native import operations
from kzoo.layers.norm_placement import NORM_SLOTS
from kzoo.layers.parts import config_of, copy_of


@keras.saving.register_keras_serializable(package="kzoo")
class ResidualStep(keras.layers.Layer):
    """What surrounds a sub-layer: norms in their slots, dropout and the sum.

    Args:
        norm: Keras layer, the pattern of each norm.
        norm_placement: "pre", "post", "sandwich" or "none".
        dropout: float. Share of the sub-layer's output dropped in training.

    Reference:
        - [Xiong et al., 2020](https://arxiv.org/abs/2002.04745), pre and post
        - [Ding et al., 2021](https://arxiv.org/abs/2105.13290), sandwich
    """

    def __init__(self, norm, norm_placement="pre", dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        if norm_placement not in NORM_SLOTS:
            raise ValueError(
                f"`norm_placement` must be one of {', '.join(map(repr, NORM_SLOTS))}. "
                f"Received: norm_placement={norm_placement!r}"
            )
        self.norm_placement = norm_placement
        self._norm = config_of(norm)
        slots = {
            slot: copy_of(norm, f"norm_{slot}", self.dtype_policy)
            for slot in NORM_SLOTS[norm_placement]
        }
        self.norm_before = slots.get("before")
        self.norm_after = slots.get("after")
        self.norm_outside = slots.get("outside")
        self.dropout = Dropout(dropout, name="dropout", dtype=self.dtype_policy)
        self.adapter, self._reads_sum = None, False

    def add_adapter(self, dim, activation, reads_sum):
        """Put a `kzoo.layers.Bottleneck` behind the sub-layer, before it is built.

        Args:
            dim: int. Its width.
            activation: str.
            reads_sum: bool. Whether it reads the stream as it would be after the step,
                in place of what the sub-layer says.
        """
        policy = self.dtype_policy
        self.adapter = Bottleneck(dim, activation, name="adapter", dtype=policy)
        self._reads_sum = reads_sum

    def build(self, input_shape):
        for layer in (
            *(self.norm_before, self.norm_after, self.norm_outside),
            self.adapter,
        ):
            if layer is not None:
                layer.build(input_shape)
        self.dropout.build(input_shape)

    def enter(self, hidden):
        """Return what the sub-layer reads, `(B, T, D)`."""
        return (
            hidden
            if self.norm_before is None
            else operations.normalise(self.norm_before, hidden)
        )

    def call(self, hidden, update, training=None):
        """Return the stream after the step, from the stream and the sub-layer's say."""
        if self.norm_after is not None:
            update = operations.normalise(self.norm_after, update)
        if training:  # A call less per step where nothing is dropped.
            update = self.dropout.call(update, training=True)
        if self.adapter is not None:
            read = self._closed(hidden + update) if self._reads_sum else update
            update = update + self.adapter.call(read)
        return self._closed(hidden + update)

    def _closed(self, hidden):
        return (
            hidden
            if self.norm_outside is None
            else operations.normalise(self.norm_outside, hidden)
        )

    def compute_output_spec(self, hidden, *args, **kwargs):
        return keras.KerasTensor(hidden.shape, dtype=self.compute_dtype)

    def get_config(self):
        return {
            **super().get_config(),
            "norm": self._norm,
            "norm_placement": self.norm_placement,
            "dropout": self.dropout.rate,
        }

    @classmethod
    def from_config(cls, config):
        return cls(**with_layers(config, "norm"))


def with_layers(config, *names):
    """Return `config` with the serialised layers under `names` made into layers."""
    layers = {
        name: keras.saving.deserialize_keras_object(config[name])
        if isinstance(config[name], dict)
        else config[name]
        for name in names
    }
    return {**config, **layers}
