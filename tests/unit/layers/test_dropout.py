"""Dropout: the masks bit for bit, what the layer does with them, and its state."""

import keras
import numpy as np
import pytest
from helpers.layers import array
from helpers.masks import mask_in_integers, mix
from keras import ops

from kzoo.layers import Dropout, set_seed
from kzoo.layers import dropout as module
from kzoo.layers.seeding import key_of


def keep_mask(key, counter, shape, rate):
    state = ops.convert_to_tensor([key, counter], dtype="int32")
    return array(module.keep_mask(state, shape, rate))


def test_mix_is_lowbias32():
    numbers = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 123456789]
    signed = np.array(numbers, "uint32").view("int32")
    actual = array(module.mix(ops.convert_to_tensor(signed))).view("uint32")
    assert actual.tolist() == [mix(number) for number in numbers]
    assert actual[0] == 0
    # One bit in moves half of the bits out.
    flips = [bin(mix(99) ^ mix(99 ^ 1 << bit)).count("1") for bit in range(32)]
    assert 14 < np.mean(flips) < 18


@pytest.mark.parametrize("rate", [0.001, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("counter", [0, 1, 2**31 - 1])
@pytest.mark.parametrize("key", [0, 1, -1, 2**31 - 1, -(2**31), 12345])
def test_mask_is_that_of_plain_integers(key, counter, rate):
    expected = mask_in_integers(key, counter, 12, 9, rate)
    actual = keep_mask(key, counter, (12, 9), rate)
    np.testing.assert_array_equal(actual, expected)


def test_recorded_mask():
    """Saved models resume with these bits: they are part of the file format."""
    drawn = keep_mask(7, 3, (4, 16), 0.5).astype(int)
    assert ["".join(map(str, row)) for row in drawn] == RECORDED


RECORDED = [
    "1000011001010111",
    "1110100100001110",
    "0101000001100000",
    "1101011001101101",
]


def test_leading_axes_are_rows():
    flat = keep_mask(5, 1, (24, 5), 0.3)
    np.testing.assert_array_equal(
        keep_mask(5, 1, (2, 3, 4, 5), 0.3), flat.reshape(2, 3, 4, 5)
    )
    np.testing.assert_array_equal(keep_mask(5, 1, (24,), 0.3).shape, (24,))


@pytest.mark.parametrize("rate", [0.1, 0.5])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_kept_elements_are_scaled(rate, dtype):
    layer = Dropout(rate, dtype=dtype)
    x = np.random.default_rng(0).normal(size=(40, 30)).astype("float32")
    x = ops.cast(x, dtype)
    layer.build(x.shape)
    key, counter = array(layer.state).tolist()
    assert counter == 0
    y = layer(x, training=True)
    assert keras.backend.standardize_dtype(y.dtype) == dtype
    kept = keep_mask(key, 0, (40, 30), rate)
    expected = np.where(kept, array(ops.cast(x, "float32")) / (1 - rate), 0)
    tolerance = 1e-6 if dtype == "float32" else 1e-2
    np.testing.assert_allclose(array(ops.cast(y, "float32")), expected, tolerance)


def test_each_training_call_counts_and_no_other():
    layer = Dropout(0.5)
    x = np.ones((20, 20), "float32")
    first = array(layer(x, training=True))
    np.testing.assert_array_equal(array(layer(x, training=False)), x)
    np.testing.assert_array_equal(array(layer(x)), x)
    assert array(layer.state)[1] == 1
    second = array(layer(x, training=True))
    assert array(layer.state)[1] == 2
    assert 100 < (first != second).sum() < 300  # half of 400
    layer.state.assign([array(layer.state)[0], 0])
    np.testing.assert_array_equal(array(layer(x, training=True)), first)


def test_rate_zero_is_the_identity_without_state():
    layer = Dropout(0)
    x = np.ones((3, 4), "float32")
    np.testing.assert_array_equal(array(layer(x, training=True)), x)
    assert layer.weights == []


def test_key_follows_from_seed_and_path():
    def key(seed, name):
        set_seed(seed)
        layer = Dropout(0.5, name=name)
        layer.build((None, 3))
        return int(array(layer.state)[0])

    try:
        assert key(1, "first") == key(1, "first")
        assert len({key(1, "first"), key(2, "first"), key(1, "other")}) == 3
        set_seed(1)
        assert key(1, "first") % 2**32 == key_of("first", "dropout") % 2**32
    finally:
        set_seed(0)


@pytest.mark.parametrize("rate", [-0.1, 1, 1.5])
def test_rate_out_of_range(rate):
    with pytest.raises(ValueError) as error:
        Dropout(rate)
    assert str(error.value) == f"`rate` must be in [0, 1). Received: rate={rate}"


def test_dropped_share_is_the_rate_to_the_last_bit_of_the_threshold():
    # Rates this small need the full 32 bits: 8-bit slices would drop 0 or 0.0039.
    kept = keep_mask(3, 0, (4000, 500), 0.001)
    assert abs((~kept).sum() - 2000) < 5 * np.sqrt(2000)


def test_a_rate_that_rounds_to_one_drops_all_but_the_odd_element():
    state = np.array([7, 0], "int32")
    keep = module.keep_mask(ops.convert_to_tensor(state), (64, 64), 1 - 2**-40)
    assert np.asarray(ops.convert_to_numpy(keep)).mean() < 0.01
