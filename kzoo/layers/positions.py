"""Where tokens stand: five schemes behind one interface.

A scheme speaks in one of three places: it adds to the embedding, it adds to the
attention scores, or it rotates queries and keys. The stack asks it once for each and
hands the tensors down, so no block and no attention layer knows which scheme it is.
"""

import math

import keras
import numpy as np
from keras import ops

from kzoo.layers.parts import part
from kzoo.layers.seeding import normal


class PositionScheme(keras.layers.Layer):
    """The interface: every answer may be `None`, meaning "not this way".

    `positions` are int tensors: `(T,)` where all rows share them. Generation passes
    the positions of the new tokens only.
    """

    def embedding(self, positions):
        """Return float `(T, D)` to add to the token embeddings, or `None`."""
        return None

    def bias(self, query_positions, key_positions):
        """Return float `(1, N, T, S)` to add to the scores, or `None`."""
        return None

    def rotary(self, positions):
        """Return (cosines, sines), each float `(T, 1, H / 2)`, or `None`."""
        return None


@keras.saving.register_keras_serializable(package="kzoo")
class SinusoidalPositions(PositionScheme):
    """Adds fixed waves whose length grows geometrically with the dimension.

    Even dimensions hold sines, odd ones cosines, as in the paper.

    Args:
        hidden_dim: int. D; even.
        base: float. Ratio of the longest wave to the shortest, over 2π.

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.5
    """

    def __init__(self, hidden_dim, base=10000.0, **kwargs):
        super().__init__(**kwargs)
        if hidden_dim % 2:
            raise ValueError(
                "Sinusoidal positions need an even `hidden_dim`. "
                f"Received: hidden_dim={hidden_dim}"
            )
        self.hidden_dim = hidden_dim
        self.base = base

    def build(self, input_shape=None):
        pass

    def embedding(self, positions):
        angles = _angles(positions, self.hidden_dim, self.base)  # (T, D / 2)
        waves = ops.stack([ops.sin(angles), ops.cos(angles)], axis=-1)
        waves = ops.reshape(waves, (-1, self.hidden_dim))  # (T, D)
        return ops.cast(waves, self.compute_dtype)

    def get_config(self):
        return {
            **super().get_config(),
            "hidden_dim": self.hidden_dim,
            "base": self.base,
        }


@keras.saving.register_keras_serializable(package="kzoo")
class LearnedPositions(PositionScheme):
    """Adds one trained vector per position.

    Args:
        hidden_dim: int. D.
        max_sequence_length: int. Number of positions; the stack refuses longer inputs.

    Reference:
        - [Devlin et al., 2019](https://arxiv.org/abs/1810.04805)
    """

    def __init__(self, hidden_dim, max_sequence_length=512, **kwargs):
        super().__init__(**kwargs)
        self.hidden_dim = hidden_dim
        self.max_sequence_length = max_sequence_length

    def build(self, input_shape=None):
        self.embeddings = self.add_weight(
            shape=(self.max_sequence_length, self.hidden_dim),
            initializer=normal(self.path, "embeddings", self.hidden_dim**-0.5),
            name="embeddings",
        )

    def embedding(self, positions):
        table = ops.convert_to_tensor(self.embeddings, dtype=self.compute_dtype)
        return ops.take(table, positions, axis=0)  # (T, D)

    def get_config(self):
        return {
            **super().get_config(),
            "hidden_dim": self.hidden_dim,
            "max_sequence_length": self.max_sequence_length,
        }


@keras.saving.register_keras_serializable(package="kzoo")
class RotaryPositions(PositionScheme):
    """Rotates queries and keys, so that scores depend on distance alone.

    Args:
        head_dim: int. H; even.
        base: float. Ratio of the slowest rotation's period to the fastest's.

    Reference:
        - [Su et al., 2021](https://arxiv.org/abs/2104.09864)
    """

    def __init__(self, head_dim, base=10000.0, **kwargs):
        super().__init__(**kwargs)
        if head_dim % 2:
            raise ValueError(
                "Rotary positions need an even `head_dim`. "
                f"Received: head_dim={head_dim}"
            )
        self.head_dim = head_dim
        self.base = base

    def build(self, input_shape=None):
        pass

    def rotary(self, positions):
        angles = _angles(positions, self.head_dim, self.base)[:, None, :]
        return (
            ops.cast(ops.cos(angles), self.compute_dtype),  # (T, 1, H / 2)
            ops.cast(ops.sin(angles), self.compute_dtype),
        )

    def get_config(self):
        return {**super().get_config(), "head_dim": self.head_dim, "base": self.base}


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

    def bias(self, query_positions, key_positions):
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

    Reference:
        - [Raffel et al., 2020](https://arxiv.org/abs/1910.10683)
    """

    def __init__(
        self,
        num_heads,
        num_buckets=32,
        max_distance=128,
        bidirectional=True,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.num_buckets = num_buckets
        self.max_distance = max_distance
        self.bidirectional = bidirectional

    def build(self, input_shape=None):
        self.embeddings = self.add_weight(
            shape=(self.num_buckets, self.num_heads),
            initializer=normal(self.path, "embeddings", 0.02),
            name="embeddings",
        )

    def bias(self, query_positions, key_positions):
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
        }


def position_part(position, hidden_dim, num_heads, head_dim, bidirectional=True):
    """Return the position scheme that `position` names, or `None` for "none".

    Args:
        position: "none", "sinusoidal", "learned", "rotary", "alibi" or "relative"; or
            a `PositionScheme`; or its serialised form.
        hidden_dim: int. D.
        num_heads: int. N.
        head_dim: int. H.
        bidirectional: bool. Whether queries see later keys too.
    """
    if position is None or position == "none":
        return None
    choices = {
        "none": None,
        "sinusoidal": lambda: SinusoidalPositions(hidden_dim),
        "learned": lambda: LearnedPositions(hidden_dim),
        "rotary": lambda: RotaryPositions(head_dim),
        "alibi": lambda: AlibiPositions(num_heads),
        "relative": lambda: RelativePositions(num_heads, bidirectional=bidirectional),
    }
    return part(position, choices, "position")


def rotate(x, rotary):
    """Rotate the halves of each head by the angles of its position.

    Args:
        x: float `(B, T, N, H)`.
        rotary: pair of float `(T, 1, H / 2)`: cosines and sines.

    Returns:
        Float `(B, T, N, H)`. Dimension i is paired with i + H / 2, the layout of
        GPT-NeoX and Llama checkpoints.
    """
    cosines, sines = rotary
    first, second = ops.split(x, 2, axis=-1)  # (B, T, N, H / 2) each
    return ops.concatenate(
        [first * cosines - second * sines, second * cosines + first * sines], axis=-1
    )


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


def _angles(positions, dimension, base):
    """Return position times frequency less whole turns, float32 `(T, dimension / 2)`.

    A float32 of a thousand radians is good to 6e-5. So angles are counted in turns,
    frequencies as a multiple of 2⁻¹² and a rest: the multiple's product is exact up to
    position 25,000, and loses its whole turns before the rest is added.
    """
    exponents = np.arange(0, dimension, 2, dtype="float64") / dimension
    turns = base**-exponents / (2 * math.pi)
    coarse = np.round(turns * 4096) / 4096
    positions = ops.cast(positions, "float32")[:, None]  # (T, 1)
    rest = positions * ops.convert_to_tensor((turns - coarse).astype("float32"))
    coarse = positions * ops.convert_to_tensor(coarse.astype("float32"))
    return (coarse - ops.round(coarse) + rest) * (2 * math.pi)
