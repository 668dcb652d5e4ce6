"""Dropout that drops the same elements on every backend.

Each layer owns a key and a step counter, two int32 in one variable that is saved with
the weights. The mask is a hash of (key, counter, position), so it needs no random
generator, resumes exactly, and is bit for bit the same on TensorFlow, PyTorch and JAX:
int32 arithmetic wraps on all three.
"""

from typing import NamedTuple

import keras
from keras import ops

from kzoo.layers.seeding import key_of


def _int32(value):
    """Reinterpret the low 32 bits of a Python int as a signed number."""
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def _shift_right(x, bits):
    # `right_shift` copies the sign bit; masking it away makes the shift logical.
    return ops.bitwise_and(ops.right_shift(x, bits), (1 << (32 - bits)) - 1)


def mix(x):
    """Scramble int32 `x` so that every input bit moves every output bit.

    Reference:
        - Wellons, [Prospecting for hash functions](
          https://nullprogram.com/blog/2018/07/31/), 2018 (`lowbias32`)
    """
    x = ops.bitwise_xor(x, _shift_right(x, 16)) * _int32(0x7FEB352D)
    x = ops.bitwise_xor(x, _shift_right(x, 15)) * _int32(0x846CA68B)
    return ops.bitwise_xor(x, _shift_right(x, 16))


class Drop(NamedTuple):
    """What an attention layer hands to its kernel: the dropout of a training call.

    A function from weights to weights; or, where weights are made tile by tile, what
    makes the factors of each tile. The tiles drop what the whole would.

    Attributes:
        layer: `Dropout`, built, with a rate above 0.
    """

    layer: object

    def __call__(self, weights):
        return self.layer.call(weights, training=True)

    def hashes(self, leading, columns):
        """Begin a call on weights of shape `(*leading, columns)`.

        Returns:
            int32 of shape `leading`, and int32 `(columns,)`: what `factors` takes.
        """
        return _hashes(self.layer.next_state(), leading, columns)

    def factors(self, row_hash, column_hash):
        """Return what to multiply a tile by, float32: 0 or a little more than 1.

        Args:
            row_hash: int32, of the tile's rows, with an axis of 1 behind them.
            column_hash: int32, of its columns.
        """
        rate = self.layer.rate
        keep = row_hash * column_hash >= _threshold(rate)
        return ops.cast(keep, "float32") * (1.0 / (1.0 - rate))


def keep_mask(state, shape, rate):
    """Return which elements survive, `True` with probability `1 - rate`.

    Rows and columns are hashed apart and multiplied (multiply-shift hashing): a few
    thousand hashes and one multiplication per element instead of one hash each.

    Args:
        state: int32 `(2,)`. The layer's key and its step counter.
        shape: shape of the mask. The last axis counts columns, all others rows.
        rate: float in (0, 1). Probability of being dropped, exact to 2⁻³².

    Returns:
        Bool tensor of `shape`.

    Reference:
        - Dietzfelbinger et al., [A reliable randomized algorithm for the closest-pair
          problem](https://doi.org/10.1006/jagm.1997.0873), 1997
    """
    *leading, columns = shape
    row_hash, column_hash = _hashes(state, leading, columns)
    return row_hash[..., None] * column_hash >= _threshold(rate)  # shape


def _hashes(state, leading, columns):
    """Return one number per row, of shape `leading`, and one per column."""
    rows = 1
    for size in leading:
        rows = rows * size
    salts = mix(mix(state[1] + _int32(0x9E3779B9) * ops.arange(1, 3)) ^ state[0])
    row_hash = mix(ops.arange(rows, dtype="int32") ^ salts[0]) | 1  # odd: invertible
    column_hash = mix(ops.arange(columns, dtype="int32") ^ salts[1])
    return ops.reshape(row_hash, tuple(leading)), column_hash


def _threshold(rate):
    return _int32(min(round(rate * 2**32), 2**32 - 1) - 2**31)


@keras.saving.register_keras_serializable(package="kzoo")
class Dropout(keras.layers.Layer):
    """Zeroes elements with probability `rate` while training and scales up the rest.

    Masks follow from the seed in force when the layer is built (see
    `kzoo.layers.set_seed`), the layer's path and the number of training calls so far.

    Args:
        rate: float in [0, 1). Share of elements to drop. 0 makes the layer the
            identity, without any state.

    Call arguments:
        inputs: float tensor of any shape with at least one axis.
        training: bool. Elements are dropped only when true.

    Returns:
        Tensor like `inputs`.

    Raises:
        ValueError: if `rate` is not in [0, 1).

    Reference:
        - [Srivastava et al., 2014](https://jmlr.org/papers/v15/srivastava14a.html)
    """

    def __init__(self, rate, **kwargs):
        super().__init__(**kwargs)
        if not 0 <= rate < 1:
            raise ValueError(f"`rate` must be in [0, 1). Received: rate={rate}")
        self.rate = rate
        self.state = None

    def build(self, input_shape=None):
        if self.rate > 0:
            key = _int32(key_of(self.path, "dropout"))
            self.state = self.add_weight(
                shape=(2,),
                dtype="int32",
                initializer=lambda shape, dtype=None: ops.convert_to_tensor(
                    [key, 0], dtype=dtype
                ),
                trainable=False,
                autocast=False,
                name="state",
            )

    def call(self, inputs, training=None):
        if not training or self.rate == 0:
            return inputs
        keep = keep_mask(self.next_state(), ops.shape(inputs), self.rate)
        scale = 1.0 / (1.0 - self.rate)
        return inputs * (ops.cast(keep, inputs.dtype) * scale)

    def next_state(self):
        """Return the state of this call, int32 `(2,)`, and count it."""
        state = ops.copy(self.state)  # PyTorch writes the next one over it.
        self.state.assign(state + ops.convert_to_tensor([0, 1], dtype="int32"))
        return state

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return {**super().get_config(), "rate": self.rate}
