"""Initial weights follow from seed and path, and from nothing else."""

import keras
import numpy as np
import pytest
from helpers.layers import array

from kzoo import layers
from kzoo.layers import seeding, set_seed


@pytest.fixture(autouse=True)
def seed():
    set_seed(0)
    yield
    set_seed(0)


def encoder(name="encoder", **options):
    layer = layers.TransformerEncoder(
        9, 2, 2, 8, 12, position="relative", name=name, **options
    )
    layer.build((2, 5))
    return layer


def values(layer):
    return {weight.path: array(weight.value) for weight in layer.weights}


def test_same_seed_and_path_same_weights():
    one, other = values(encoder()), values(encoder())
    assert one.keys() == other.keys()
    for path in one:
        np.testing.assert_array_equal(one[path], other[path])


def test_automatic_names_do_not_count():
    one = list(values(encoder(name=None)).values())
    other = list(values(encoder(name=None)).values())
    for left, right in zip(one, other, strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("change", ["seed", "name"])
def test_another_seed_or_path_other_weights(change):
    one = encoder()
    if change == "seed":
        set_seed(1)
    other = encoder("other" if change == "name" else "encoder")
    for left, right in zip(one.weights, other.weights, strict=True):
        left, right = array(left.value), array(right.value)
        if np.unique(left).size > 2:  # not a bias, a norm's scale
            assert (left != right).mean() > 0.4, "weights or dropout key"


def test_no_two_weights_of_a_model_are_alike():
    drawn = [v for v in values(encoder()).values() if np.unique(v).size > 2]
    firsts = [value.flat[0] for value in drawn]
    assert len(set(firsts)) == len(firsts) == 2 + 2 * 6


def test_build_order_does_not_count():
    def build(order):
        found = {}
        for name in order:
            layer = layers.Projection(4, name=name)
            layer.build((None, 3))
            found[name] = array(layer.kernel)
        return found

    one, other = build("abc"), build("cab")
    for name in "abc":
        np.testing.assert_array_equal(one[name], other[name])


def test_keras_generator_is_not_used():
    keras.utils.set_random_seed(1)
    one = values(encoder())
    keras.utils.set_random_seed(2)
    for path, value in values(encoder()).items():
        np.testing.assert_array_equal(value, one[path])


@pytest.mark.parametrize(
    "dims, axes, inputs, fan_in, fan_out",
    [
        (200, 1, (None, 100), 100, 200),
        ((4, 50), 1, (None, 100), 100, 200),
        (100, 2, (None, 4, 50), 200, 100),
    ],
)
def test_projections_start_as_glorot_says(dims, axes, inputs, fan_in, fan_out):
    layer = layers.Projection(dims, axes)
    layer.build(inputs)
    kernel = array(layer.kernel)
    variance = 2 / (fan_in + fan_out)
    assert abs(kernel.mean()) < 4 * np.sqrt(variance / kernel.size)
    assert kernel.var() == pytest.approx(variance, rel=0.03)
    limit = np.sqrt(3 * variance)
    assert 0.99 * limit < np.abs(kernel).max() <= limit
    assert not array(layer.bias).any()


def test_token_vectors_start_with_length_one():
    layer = layers.TokenEmbedding(500, 64)
    layer.build()
    lengths = np.linalg.norm(array(layer.embeddings), axis=-1)
    assert lengths.mean() == pytest.approx(1.0, rel=0.02)


def test_recorded_weights():
    """One seed gives these numbers on every backend."""
    set_seed(7)
    layer = layers.Projection(3, name="recorded")
    layer.build((None, 2))
    np.testing.assert_allclose(array(layer.kernel), RECORDED, rtol=1e-5)


RECORDED = [[0.313465, 0.120594, -0.544215], [-0.108357, 0.977548, 0.543733]]


def test_keys():
    one = seeding.key_of("encoder/attention", "kernel")
    assert 0 <= one < 2**64
    assert one == seeding.key_of("encoder_12/attention", "kernel")
    assert one != seeding.key_of("encoder/attention_12", "kernel")
    assert one != seeding.key_of("encoder/attention", "bias")
    set_seed(1)
    assert one != seeding.key_of("encoder/attention", "kernel")


@pytest.mark.parametrize("seed", [-1, 1.0, "1", True, None])
def test_seeds_that_are_none(seed):
    with pytest.raises(ValueError) as error:
        set_seed(seed)
    expected = f"`seed` must be an int of at least 0. Received: seed={seed}"
    assert str(error.value) == expected
