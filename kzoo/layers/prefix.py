"""Keys and values before those of every text, learnt for a task."""

import keras
from keras import ops

from kzoo.layers.native import operations
from kzoo.layers.seeding import always_uniform

HALVES = ("keys", "values")


@keras.saving.register_keras_serializable(package="kzoo")
class Prefix(keras.layers.Layer):
    """`length` keys and values for the self-attention of each layer of a stack.

    No token stands for them and no position: every query sees them, and they look at
    nothing. Where keys are rotated, these are what they are.

    Args:
        length: int. P, how many for each layer.
        num_layers: int. L.
        num_heads: int. K, the heads of keys and values.
        head_dim: int. H.
        projection: bool. Whether they are made of P vectors, which all layers share,
            by two dense layers with a tanh between; else they are weights themselves.
            What the two make is the same for every text: `folded` makes weights of it.

    Returns:
        list of L pairs of float `(P, K, H)`, keys and values.

    Raises:
        ValueError: if `length` is below 1.

    Reference:
        - [Li & Liang, 2021](https://arxiv.org/abs/2101.00190)
    """

    def __init__(
        self, length, num_layers, num_heads, head_dim, projection=False, **kwargs
    ):
        super().__init__(**kwargs)
        if length < 1:
            raise ValueError(f"`length` must be at least 1. Received: length={length}")
        self.length = length
        self.num_layers = num_layers
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.projection = projection

    def build(self, hidden_shape):
        heads = (self.num_layers, self.num_heads, self.head_dim)
        if not self.projection:
            for half in HALVES:
                self._add(half, (self.length, *heads), 1.0)
            return
        width = hidden_shape[-1]
        self._add("vectors", (self.length, width), 1.0)
        self._add("inner", (width, width), width**-0.5)
        self._add("inner_bias", (width,), 0.0)
        for half in HALVES:
            self._add(f"outer_{half}", (width, *heads), width**-0.5)
            self._add(f"outer_{half}_bias", heads, 0.0)

    def _add(self, name, shape, limit):
        initializer = always_uniform(self.path, name, limit)
        setattr(
            self, name, self.add_weight(shape=shape, initializer=initializer, name=name)
        )

    def call(self):
        keys, values = self.folded()
        return [(keys[:, at], values[:, at]) for at in range(self.num_layers)]

    def folded(self):
        """Return keys and values, each float `(P, L, K, H)`, however they are made."""
        if not self.projection:
            return [self._value(half) for half in HALVES]
        inner = self._dense(self._value("vectors"), "inner")  # (P, D)
        inner = ops.tanh(inner)
        return [self._dense(inner, f"outer_{half}") for half in HALVES]

    def _dense(self, x, name):
        kernel, bias = self._value(name), self._value(f"{name}_bias")
        return operations.affine(x, kernel, bias, 1)

    def _value(self, name):
        return operations.value_of(getattr(self, name), self.compute_dtype)

    def before(self, caches):
        """Return the caches of a decoder, the keys and values of each layer first.

        Args:
            caches: list of L dicts of float `(B, K, S, H)`, see `MultiHeadAttention`.

        Returns:
            Likewise, `(B, K, P + S, H)`.
        """
        made = []
        for (keys, values), cache in zip(self.call(), caches, strict=True):
            own = {"key": keys, "value": values}
            heads_first = {n: ops.transpose(x, (1, 0, 2)) for n, x in own.items()}
            made.append(
                {
                    name: ops.concatenate([for_all(heads_first[name], x), x], axis=2)
                    for name, x in cache.items()
                }
            )
        return made

    def get_config(self):
        return {
            **super().get_config(),
            "length": self.length,
            "num_layers": self.num_layers,
            "num_heads": self.num_heads,
            "head_dim": self.head_dim,
            "projection": self.projection,
        }


def for_all(own, x):
    """Return `own` once for each row of `x`, in its dtype: `(B, *own.shape)`."""
    own = ops.cast(own, x.dtype)
    return ops.broadcast_to(own[None], (ops.shape(x)[0], *own.shape))
