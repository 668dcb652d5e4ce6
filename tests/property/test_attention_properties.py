"""What must hold for attention whatever its weights: caches, distances, no keys."""

import numpy as np
import pytest
from helpers.layers import array, assert_close, fill
from keras import ops

from kzoo.layers import MultiHeadAttention, RotaryPositions
from kzoo.training.steppers.gradients import gradients

B, T, S, D, N, H = 2, 6, 5, 12, 6, 4
rng = np.random.default_rng(3)
X = rng.normal(size=(B, T, D)).astype("float32")
ENCODED = rng.normal(size=(B, S, D)).astype("float32")
WHERE = np.arange(T, dtype="int32")
CAUSAL = np.tril(np.ones((T, T), bool))[None, None]


def attention(key_value_heads=2, **options):
    layer = MultiHeadAttention(D, N, key_value_heads, head_dim=H, **options)
    layer.build(X.shape, X.shape)
    return fill(layer, 5)


def empty_cache(length, key_value_heads=2):
    zeros = ops.zeros((B, key_value_heads, length, H))
    return {"key": zeros, "value": zeros}


@pytest.mark.parametrize("rotary", [True, False])
@pytest.mark.parametrize("steps", [(1,) * T, (4, 1, 1), (3, 3)], ids=str)
@pytest.mark.parametrize("capacity", [T, T + 3])
def test_cached_steps_equal_one_causal_pass(rotary, steps, capacity):
    layer = attention()
    scheme = RotaryPositions(H)
    tables = scheme.rotary(WHERE) if rotary else None
    whole = array(layer(X, X, attention_mask=CAUSAL, rotary=tables))
    cache, start = empty_cache(capacity), 0
    for size in steps:
        where = WHERE[start : start + size]
        new = X[:, start : start + size]
        mask = where[:, None] >= np.arange(capacity)
        output, cache = layer(
            new,
            new,
            attention_mask=mask[None, None],
            rotary=scheme.rotary(where) if rotary else None,
            cache=cache,
            cache_start=start,
        )
        assert_close(output, whole[:, start : start + size], atol=3e-6)
        start += size
    fresh = layer.project(X, tables)
    for name in ("key", "value"):
        assert_close(cache[name][:, :, :T], array(fresh[name]), atol=3e-6)


def test_cache_start_may_be_a_tensor():
    layer = attention()
    mask = np.ones((1, 1, 1, 4), bool)
    arguments = {"attention_mask": mask, "cache": empty_cache(4)}
    one, cache = layer(X[:, :1], X[:, :1], cache_start=2, **arguments)
    start = ops.convert_to_tensor(2, dtype="int32")
    other, same = layer(X[:, :1], X[:, :1], cache_start=start, **arguments)
    np.testing.assert_array_equal(array(one), array(other))
    np.testing.assert_array_equal(array(cache["key"]), array(same["key"]))
    assert np.abs(array(cache["key"])).max((0, 1, 3)).astype(bool).tolist() == [
        False,
        False,
        True,
        False,
    ]


def test_cross_cache_equals_direct():
    layer = attention()
    mask = (np.arange(S) < np.array([[5], [3]]))[:, None, None, :]
    direct = layer(X, ENCODED, attention_mask=mask, return_weights=True)
    cache = layer.project(ENCODED)
    cached = layer(X, cache=cache, attention_mask=mask, return_weights=True)
    for one, other in zip(direct, cached, strict=True):
        np.testing.assert_array_equal(array(one), array(other))
    assert_close(layer(X, cache=cache, attention_mask=mask), array(direct[0]))


@pytest.mark.parametrize("shift", [1, 17, 1000])
def test_rotary_scores_depend_on_distance_alone(shift):
    layer, scheme = attention(), RotaryPositions(H)

    def weights(where):
        return array(layer(X, X, rotary=scheme.rotary(where), return_weights=True)[1])

    here = weights(WHERE)
    assert_close(weights(WHERE + shift), here, atol=5e-6)
    assert np.abs(weights(WHERE * 2) - here).max() > 0.01  # other distances differ


PATHS = {
    "fused": {},
    "explicit": {"return_weights": True},
    "dropped": {"training": True},
    "dropped_weights": {"training": True, "return_weights": True},
}


@pytest.mark.parametrize(
    "bias", [None, np.zeros((1, N, 1, T), "float32")], ids=["", "b"]
)
@pytest.mark.parametrize("path", PATHS)
def test_queries_without_keys(path, bias):
    """Zero context, weights of zero and finite gradients, on every path."""
    layer = attention(dropout=0.5)
    mask = np.ones((B, 1, T, T), bool)
    mask[0] = False
    mask[1, :, 2] = False

    def call():
        output = layer(X, X, attention_mask=mask, bias=bias, **PATHS[path])
        return output if isinstance(output, tuple) else (output, None)

    output, weights = call()
    output, nothing = array(output), array(layer.output_dense.bias)
    np.testing.assert_array_equal(output[0], np.broadcast_to(nothing, (T, D)))
    np.testing.assert_array_equal(output[1, 2], nothing)
    assert np.abs(output[1, 3] - nothing).max() > 0.01
    if weights is not None:
        weights = array(weights)
        assert not weights[0].any() and not weights[1, :, 2].any()
        assert weights[1, :, 3].any()
    found = gradients(layer, lambda: ops.sum(ops.square(call()[0])))
    assert all(np.isfinite(value).all() for value in found.values())
    assert sum(np.abs(value).sum() for value in found.values()) > 0


def test_queries_without_keys_have_gradients_of_zero():
    layer = attention(use_bias=False)
    mask = np.zeros((1, 1, T, T), bool)
    found = gradients(layer, lambda: ops.sum(layer(X, X, attention_mask=mask)))
    assert not any(value.any() for value in found.values())


def test_closed_keys_do_not_matter():
    layer = attention()
    mask = np.ones((1, 1, 1, T), bool)
    mask[..., 4:] = False
    other = X.copy()
    other[:, 4:] = 1e3
    bias = rng.normal(size=(1, 1, 1, T)).astype("float32")
    for options in ({}, {"return_weights": True}):
        one, same = (
            layer(X, value, attention_mask=mask, bias=bias, **options)
            for value in (X, other)
        )
        one, same = (r[0] if options else r for r in (one, same))
        np.testing.assert_array_equal(array(one), array(same))
