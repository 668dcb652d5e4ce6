"""Positions as a bias on the scores: ALiBi's slopes and T5's buckets of distance."""

import math

import keras
import numpy as np
from keras import ops

from kzoo.layers.positions import PositionScheme
from kzoo.layers.seeding import normal


@keras.saving.register_keras_serializable(package="kzoo")
class AlibiPositions(PositionScheme):
    """Lowers each score in proportion to the distance, at a fixed slope per head.

    Args:
        num_heads: int. N.

    Reference:
        - [Press et al., 2022](https://arxiv.org/abs/2108.12409). For encoders, the
          distance counts both ways.
    """

    def __init__(self, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.num_heads = num_heads

    def build(self, input_shape=None):
        pass

    def bias(self, query_positions, key_positions, training=None):
        distance = ops.abs(query_positions[:, None] - key_positions[None, :])  # (T, S)
        slopes = ops.convert_to_tensor(alibi_slopes(self.num_heads))
        slopes = slopes[None, :, None, None]
        bias = -slopes * ops.cast(distance, "float32")[None, None]  # (1, N, T, S)
        return ops.cast(bias, self.compute_dtype)

    def get_config(self):
        return {**super().get_config(), "num_heads": self.num_heads}


@keras.saving.register_keras_serializable(package="kzoo")
class RelativePositions(PositionScheme):
    """Adds a trained number per head and bucket of distance, shared by all layers.

    Near distances have a bucket each, far ones share buckets that widen
    logarithmically up to `max_distance`.

    Args:
        num_heads: int. N.
        num_buckets: int. Number of buckets; halved per direction if bidirectional.
        max_distance: int. Distances from here on share the last bucket.
        bidirectional: bool. `True` tells keys before the query from keys after it
            (encoders); `False` puts all later keys into bucket 0 (decoders).
        neighbour_bias: float. Added at the start to one near distance per head: -1, 1,
            -2, 2 … in turn (-1, -2, -3 … if not bidirectional). Heads that begin by
            looking at one neighbour each learn the order of words from little data.

    Reference:
        - [Raffel et al., 2020](https://arxiv.org/abs/1910.10683)
        - [d'Ascoli et al., 2021](https://arxiv.org/abs/2103.10697), heads that begin
          as a convolution
    """

    def __init__(
        self,
        num_heads,
        num_buckets=32,
        max_distance=128,
        bidirectional=True,
        neighbour_bias=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.num_buckets = num_buckets
        self.max_distance = max_distance
        self.bidirectional = bidirectional
        self.neighbour_bias = neighbour_bias

    def build(self, input_shape=None):
        draw = normal(self.path, "embeddings", 0.02)

        def initial(shape, dtype=None):
            return draw(shape, dtype) + ops.cast(self._neighbours(), dtype)

        self.embeddings = self.add_weight(
            shape=(self.num_buckets, self.num_heads),
            initializer=initial if self.neighbour_bias else draw,
            name="embeddings",
        )

    def _neighbours(self):
        """Return float32 `(buckets, N)`: `neighbour_bias` at one bucket per head."""
        table = np.zeros((self.num_buckets, self.num_heads), "float32")
        for head in range(self.num_heads):
            distance, later = head + 1, 0
            if self.bidirectional:
                distance, later = head // 2 + 1, head % 2 * (self.num_buckets // 2)
            # Exact buckets only: farther ones hold several distances.
            exact = self.num_buckets // (4 if self.bidirectional else 2)
            table[later + (distance - 1) % max(exact - 1, 1) + 1, head] = (
                self.neighbour_bias
            )
        return table

    def bias(self, query_positions, key_positions, training=None):
        offset = key_positions[None, :] - query_positions[:, None]  # (T, S)
        buckets = relative_buckets(
            offset, self.num_buckets, self.max_distance, self.bidirectional
        )
        table = ops.convert_to_tensor(self.embeddings, dtype=self.compute_dtype)
        bias = ops.take(table, buckets, axis=0)  # (T, S, N)
        return ops.transpose(bias, (2, 0, 1))[None]  # (1, N, T, S)

    def get_config(self):
        return {
            **super().get_config(),
            "num_heads": self.num_heads,
            "num_buckets": self.num_buckets,
            "max_distance": self.max_distance,
            "bidirectional": self.bidirectional,
            "neighbour_bias": self.neighbour_bias,
        }


def alibi_slopes(num_heads):
    """Return the slope of each head, float32 NumPy `(N,)`.

    A power of two of heads gets the geometric series from 2^(-8/N); other counts take
    the series of the next lower power and fill up with every other slope of the next
    higher one, as the paper's code does.
    """

    def series(count):
        return [2.0 ** (-8.0 * (i + 1) / count) for i in range(count)]

    lower = 2 ** int(math.log2(num_heads))
    slopes = series(lower) + series(2 * lower)[::2][: num_heads - lower]
    return np.array(slopes, "float32")


def relative_buckets(offset, num_buckets, max_distance, bidirectional):
    """Sort distances into buckets, exact near by and logarithmic far away.

    Args:
        offset: int tensor. Key position minus query position.
        num_buckets: int. Number of buckets in all.
        max_distance: int. Distances from here on share the last bucket.
        bidirectional: bool. Whether later keys have buckets of their own.

    Returns:
        int32 tensor like `offset`, with values in [0, num_buckets).
    """
    offset = ops.cast(offset, "int32")
    if bidirectional:
        num_buckets //= 2
        later = ops.cast(offset > 0, "int32") * num_buckets
        distance = ops.abs(offset)
    else:
        later = 0
        distance = ops.maximum(-offset, 0)
    exact = num_buckets // 2
    # First distances of the logarithmic buckets, found on the host in float64: a
    # logarithm on the device could round a boundary differently on each backend.
    starts = ops.convert_to_tensor(_bucket_starts(num_buckets, exact, max_distance))
    far = ops.sum(ops.cast(ops.expand_dims(distance, -1) >= starts, "int32"), axis=-1)
    return later + ops.where(distance < exact, distance, exact - 1 + far)


def _bucket_starts(num_buckets, exact, max_distance):
    """Smallest distance of each bucket from `exact` on, int32 NumPy."""
    distances = np.arange(exact, max(max_distance, exact) + 1, dtype="float32")
    scale = np.float32(math.log(max_distance / exact))
    fractions = np.log(distances / np.float32(exact)) / scale
    buckets = exact + (fractions * (num_buckets - exact)).astype("int32")
    buckets = np.minimum(buckets, num_buckets - 1)
    return np.array(
        [distances[buckets >= b][0] for b in range(exact, buckets[-1] + 1)], "int32"
    )
