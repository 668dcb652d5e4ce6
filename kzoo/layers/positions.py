"""Where tokens stand: one interface, and the schemes that act on single positions.

A scheme speaks in one of four places: it adds to the embedding, it adds to the
attention scores, it rotates queries and keys, or it says who may be seen. The
stack asks it once for each and hands the tensors down, so no block and no attention
layer knows which scheme it is.
"""

import math

import keras
import numpy as np
from keras import ops

from kzoo.layers.seeding import normal


class PositionScheme(keras.layers.Layer):
    """The interface: every answer may be `None`, meaning "not this way".

    `positions` are int tensors: `(T,)` where all rows share them. Generation passes
    the positions of the new tokens only.

    Attributes:
        max_sequence_length: int, the number of positions there are; the stack refuses
            longer inputs. `None` where any length goes.
        for_decoders: bool. Whether the scheme says the same in every layer and of
            every single place, as the steps of generation need it.
    """

    max_sequence_length = None
    for_decoders = True

    def of_layer(self, index):
        """Return the scheme that speaks in the layer `index` about scores and masks."""
        return self

    def embedding(self, positions):
        """Return float `(T, D)` to add to the token embeddings, or `None`."""
        return None

    def bias(self, query_positions, key_positions, training=None):
        """Return float `(1, N, T, S)` to add to the scores, or `None`; or what makes
        it of queries and keys, a `kzoo.layers.content_bias.ContentBias`."""
        return None

    def mask(self, query_positions, key_positions):
        """Return bool `(1, 1, T, S)`, `True` = may attend, or `None` for all."""
        return None

    def rotary(self, positions):
        """Return (cosines, sines), each float `(T, 1, H / 2)`, or `None`."""
        return None


@keras.saving.register_keras_serializable(package="kzoo")
class SinusoidalPositions(PositionScheme):
    """Adds fixed waves whose length grows geometrically with the dimension.

    Args:
        hidden_dim: int. D; even.
        base: float. Ratio of the longest wave to the shortest, over 2π.
        halves: bool. `False`: even dimensions hold sines, odd ones cosines, as in the
            paper. `True`: the first half holds the sines, the second the cosines, as in
            the authors' own code, Marian and Pegasus.
        max_sequence_length: int or None. The most positions, for a model that was
            trained on no more; `None` sets no limit.

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.5
    """

    def __init__(
        self,
        hidden_dim,
        base=10000.0,
        halves=False,
        max_sequence_length=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if hidden_dim % 2:
            raise ValueError(
                "Sinusoidal positions need an even `hidden_dim`. "
                f"Received: hidden_dim={hidden_dim}"
            )
        self.hidden_dim = hidden_dim
        self.base = base
        self.halves = halves
        self.max_sequence_length = max_sequence_length

    def build(self, input_shape=None):
        pass

    def embedding(self, positions):
        angles = _angles(positions, self.hidden_dim, self.base)  # (T, D / 2)
        waves = [ops.sin(angles), ops.cos(angles)]
        if self.halves:
            waves = ops.concatenate(waves, axis=-1)  # (T, D)
        else:
            waves = ops.stack(waves, axis=-1)  # (T, D / 2, 2)
            waves = ops.reshape(waves, (-1, self.hidden_dim))  # (T, D)
        return ops.cast(waves, self.compute_dtype)

    def get_config(self):
        return {
            **super().get_config(),
            "hidden_dim": self.hidden_dim,
            "base": self.base,
            "halves": self.halves,
            "max_sequence_length": self.max_sequence_length,
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
