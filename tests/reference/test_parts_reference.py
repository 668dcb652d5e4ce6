"""Positions, feed-forwards, norms and embeddings against the papers."""

import numpy as np
import numpy_transformer as paper
import pytest
from helpers.layers import array, assert_close, fill, weights_of

from kzoo import layers
from kzoo.layers.normalization import norm_part
from kzoo.layers.positions import rotate
from kzoo.layers.relative_positions import alibi_slopes, relative_buckets

rng = np.random.default_rng(0)
X = rng.normal(0, 2, (3, 5, 8)).astype("float32")


def positions(*numbers):
    return np.array(numbers, "int32")


@pytest.mark.parametrize("start", [0, 1, 300, 3000])
@pytest.mark.parametrize("size", [2, 8, 64])
def test_sinusoidal(start, size):
    where = start + np.arange(128, dtype="int32")
    actual = layers.SinusoidalPositions(size).embedding(where)
    assert_close(actual, paper.sinusoidal(where.tolist(), size))


def test_sinusoidal_base():
    actual = layers.SinusoidalPositions(6, base=100.0).embedding(positions(3, 70))
    assert_close(actual, paper.sinusoidal([3, 70], 6, base=100.0))


def test_sinusoidal_halves():
    where = positions(0, 3, 900)
    actual = layers.SinusoidalPositions(8, halves=True).embedding(where)
    paired = np.array(paper.sinusoidal(where.tolist(), 8))
    assert_close(actual, np.concatenate([paired[:, ::2], paired[:, 1::2]], axis=-1))


@pytest.mark.parametrize("start", [0, 1, 300, 3000])
@pytest.mark.parametrize("base", [100.0, 10000.0])
def test_rotary(start, base):
    where = start + np.arange(40, dtype="int32")
    x = rng.normal(size=(2, 40, 3, 8)).astype("float32")
    actual = rotate(x, layers.RotaryPositions(8, base=base).rotary(where))
    expected = np.zeros(x.shape)
    for b, t, n in np.ndindex(2, 40, 3):
        vector = x[b, t, n].astype("float64")
        expected[b, t, n] = paper.rotate(vector, int(where[t]), base)
    assert_close(actual, expected)


def test_learned():
    scheme = layers.LearnedPositions(4, max_sequence_length=9)
    scheme.build()
    fill(scheme)
    table = weights_of(scheme)["embeddings"]
    assert table.shape == (9, 4)
    assert_close(scheme.embedding(positions(8, 0, 3)), table[[8, 0, 3]])


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 6, 8, 12, 16, 20])
def test_alibi(heads):
    np.testing.assert_allclose(alibi_slopes(heads), paper.alibi_slopes(heads), 1e-6)
    where = np.arange(200, dtype="int32")
    bias = layers.AlibiPositions(heads).bias(where[:50], where)
    assert_close(bias, paper.alibi_bias(heads, 50, 200))


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("buckets, longest", [(32, 128), (16, 128), (32, 1000), (8, 9)])
def test_relative_buckets(bidirectional, buckets, longest):
    offsets = np.arange(-1200, 1201, dtype="int32")
    actual = array(relative_buckets(offsets, buckets, longest, bidirectional))
    expected = [
        paper.relative_bucket(int(offset), buckets, longest, bidirectional)
        for offset in offsets
    ]
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_relative_bias(bidirectional):
    scheme = layers.RelativePositions(3, bidirectional=bidirectional)
    scheme.build()
    fill(scheme)
    where = np.arange(150, dtype="int32")
    table = weights_of(scheme)["embeddings"]
    expected = paper.relative_bias(table, 150, 150, bidirectional)
    assert_close(scheme.bias(where, where), expected)
    assert_close(scheme.bias(where[140:], where), expected[:, :, 140:])


@pytest.mark.parametrize("use_bias", [True, False])
@pytest.mark.parametrize("kind", paper.FEED_FORWARDS)
def test_feed_forward(kind, use_bias):
    base, activation = layers.FEED_FORWARDS[kind]
    layer = base(8, 20, activation, use_bias=use_bias)
    layer.build(X.shape)
    fill(layer)
    expected = paper.feed_forward(weights_of(layer), X.astype("float64"), kind)
    assert_close(layer(X), expected, atol=3e-6)


@pytest.mark.parametrize("kind", paper.NORMS)
@pytest.mark.parametrize("size", [1e-2, 1.0, 30.0])
def test_norms(kind, size):
    layer = norm_part(kind)
    layer.build(X.shape)
    fill(layer)
    x = X * np.float32(size)
    expected = paper.NORMS[kind](weights_of(layer), x.astype("float64"))
    assert_close(layer(x), expected)


@pytest.mark.parametrize("dims, axes", [(6, 1), ((2, 3), 1), (6, 2), ((2, 3), 2)])
def test_projection(dims, axes):
    layer = layers.Projection(dims, axes)
    layer.build(X.shape)
    fill(layer)
    parts = weights_of(layer)
    expected = np.tensordot(X.astype("float64"), parts["kernel"], axes) + parts["bias"]
    assert_close(layer(X), expected, atol=3e-6)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"scale": True},
        {"num_segments": 2},
        {"norm": "layer_norm"},
        {"norm": "rms_norm", "scale": True, "num_segments": 3},
    ],
    ids=str,
)
def test_embedding(options):
    layer = layers.TokenEmbedding(11, 8, **options)
    layer.build((None, None))
    fill(layer)
    ids = rng.integers(0, 11, (3, 5))
    added = X[0].astype("float64")
    segments = rng.integers(0, 2, (3, 5)) if "num_segments" in options else None
    options = {name: options[name] for name in options if name != "num_segments"}
    parts = weights_of(layer)
    assert_close(layer(ids), paper.embedding(parts, ids, **options))
    expected = paper.embedding(parts, ids, segments, added=added, **options)
    actual = layer(ids, segment_ids=segments, position_embedding=X[0])
    assert_close(actual, expected)
    assert_close(layer.logits(X), X.astype("float64") @ parts["embeddings"].T)


def test_logits_are_not_scaled():
    layer = layers.TokenEmbedding(11, 8, scale=True)
    layer.build((None, None))
    fill(layer)
    table = weights_of(layer)["embeddings"]
    assert_close(layer.logits(X), X.astype("float64") @ table.T)
