"""Dense attention, and the operations that a backend has a faster way for."""

import contextlib
import math

import keras
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


@pytest.mark.parametrize("gradients", [True, False])
def test_gelu_is_the_exact_one(gradients):
    x = np.linspace(-6, 6, 101).astype("float32")
    expected = [0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x.tolist()]
    with contextlib.nullcontext() if gradients else without_gradients():
        for gelu in (native.gelu, native.operations.gelu):
            assert_close(gelu(ops.convert_to_tensor(x.copy())), expected)


def without_gradients():
    """PyTorch's state in which none are recorded; other backends have no such."""
    if keras.backend.backend() != "torch":
        return contextlib.nullcontext()
    import torch

    return torch.no_grad()


@pytest.mark.parametrize("sees", [[1, 1, 1], [1, 0, 1], [0, 0, 0]])
def test_zero_where_a_query_is_blind(sees):
    x = np.random.default_rng(7).normal(size=(2, 3, 4)).astype("float32")
    sees = np.array(sees, "float32")[None, :, None]
    tensors = [ops.convert_to_tensor(array) for array in (x, sees)]
    for blank in (native.zero_where_blind, native.operations.zero_where_blind):
        found = ops.convert_to_numpy(blank(*tensors))
        np.testing.assert_array_equal(found, np.where(sees > 0, x, 0))


def test_unknown_operations_are_refused():
    with pytest.raises(ValueError, match="Received: name='softmax'"):
        native.use(softmax=None)
