"""Dense attention, and the operations that a backend has a faster way for."""

import math

import numpy as np
import pytest
from helpers.layers import array, assert_close
from keras import ops

from kzoo.layers import native
from kzoo.layers.kernels import dense


@pytest.mark.parametrize("num_key_value_heads", [4, 2, 1])
@pytest.mark.parametrize("biased", [False, True])
def test_attention_is_the_formula_on_every_path(num_key_value_heads, biased):
    rng = np.random.default_rng(7)
    queries = rng.normal(size=(2, 5, 4, 8)).astype("float32")
    keys, values = rng.normal(size=(2, 2, 7, num_key_value_heads, 8)).astype("float32")
    bias = rng.normal(size=(2, 4, 5, 7)).astype("float32") if biased else None
    tensors = [
        None if x is None else ops.convert_to_tensor(x)
        for x in (queries, keys, values, bias)
    ]
    expected = attend(queries, keys, values, bias, 0.3)
    context, weights = dense.explicit(*tensors, 0.3, drop=None)
    np.testing.assert_allclose(array(weights).sum(-1), 1, rtol=1e-5)
    assert_close(context, expected)
    if native.operations.fused_attention is not None:
        assert_close(native.operations.fused_attention(*tensors, 0.3), expected)


def attend(queries, keys, values, bias, scale):
    """Softmax attention in float64, written out."""
    repeats = queries.shape[2] // keys.shape[2]
    keys, values = (np.repeat(x.astype("float64"), repeats, 2) for x in (keys, values))
    scores = scale * np.einsum("btnh,bsnh->bnts", queries, keys)
    scores = scores if bias is None else scores + bias
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("bnts,bsnh->btnh", weights, values)


@pytest.mark.parametrize("axes, bias", [(1, True), (2, True), (1, False)])
def test_the_operations_in_use_equal_the_portable_ones(axes, bias):
    rng = np.random.default_rng(7)
    inputs = rng.normal(size=(2, 3, 4, 5)).astype("float32")
    kernel = rng.normal(size=(*inputs.shape[4 - axes :], 6, 2)).astype("float32")
    bias = rng.normal(size=(6, 2)).astype("float32") if bias else None
    tensors = [
        None if x is None else ops.convert_to_tensor(x) for x in (inputs, kernel, bias)
    ]
    expected = np.tensordot(inputs.astype("float64"), kernel, axes)
    expected = expected if bias is None else expected + bias
    for affine in (native.affine, native.operations.affine):
        assert_close(affine(*tensors, axes), expected)


def test_gelu_is_the_exact_one():
    x = np.linspace(-6, 6, 101).astype("float32")
    expected = [0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x.tolist()]
    for gelu in (native.gelu, native.operations.gelu):
        assert_close(gelu(ops.convert_to_tensor(x)), expected)


def test_unknown_operations_are_refused():
    with pytest.raises(ValueError, match="Received: name='softmax'"):
        native.use(softmax=None)
