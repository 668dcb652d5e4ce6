"""Kernels that look at all keys: against their formulas, and against dense weights."""

import keras
import numpy as np
import pytest
from helpers.layers import array, assert_close, fill
from keras import ops

from kzoo.layers import MultiHeadAttention, RelativePositions
from kzoo.layers.kernels import features
from kzoo.layers.kernels.kernel import Heads
from kzoo.layers.kernels.linear import LinearKernel
from kzoo.layers.kernels.named import kernel_part
from kzoo.layers.kernels.performer import PerformerKernel, directions
from kzoo.layers.kernels.top_k import TopKKernel
from kzoo.layers.native import operations
from kzoo.training.steppers.gradients import gradients

B, T, S, N, H, D = 3, 9, 11, 4, 3, 12
SCALE = H**-0.5
rng = np.random.default_rng(0)
QUERIES = rng.normal(size=(B, S, N, H)).astype("float32")
KEYS = rng.normal(size=(B, S, N, H)).astype("float32")
VALUES = rng.normal(size=(B, S, N, H)).astype("float32")
REAL = np.arange(S) < np.array([[S], [4], [0]])  # the last text has no token
REAL[1, 0] = False
HIDDEN = rng.normal(size=(B, S, D)).astype("float32")
UPSTREAM = rng.normal(size=(B, S, D)).astype("float32")

has_native = pytest.mark.skipif(
    operations.native_attention is None, reason="this backend has no kernel of its own"
)
KERNELS = {
    "blockwise": {"kind": "blockwise", "block": 4},
    "one_block": {"kind": "blockwise", "block": 64},
    "linear": "linear",
    "performer": {"kind": "performer", "num_features": 8, "kernel_seed": 3},
    "top_k": {"kind": "top_k", "k": 3},
    "native": pytest.param("native", marks=has_native),
}
each_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
each_way = pytest.mark.parametrize("causal", [False, True], ids=["both", "causal"])


def heads(shared=N, real=REAL, causal=False, **more):
    queries = QUERIES if causal else QUERIES[:, :T]
    tensors = queries, KEYS[:, :, :shared], VALUES[:, :, :shared]
    tensors = [ops.convert_to_tensor(x) for x in tensors]
    return Heads(*tensors, SCALE, real, causal, **more)


def seen(causal, real=REAL):
    """Who sees whom, `(B, 1, T, S)`, as many queries as keys if causal."""
    real = real[:, None, None, :]
    if causal:
        return real & np.tri(S, dtype=bool)
    return np.broadcast_to(real, (B, 1, T, S))


def shared_out(similarity, mask, shared):
    """The context and weights of similarities `(B, N, T, S)` that are not negative."""
    similarity = np.where(mask, similarity, 0.0)
    total = similarity.sum(-1, keepdims=True)
    weights = np.divide(
        similarity, total, out=np.zeros_like(similarity), where=total > 0
    )
    values = np.repeat(VALUES[:, :, :shared], N // shared, axis=2).astype("float64")
    return np.einsum("bnts,bsnh->btnh", weights, values), weights


def products(queries, keys, mask, shared):
    queries = queries[:, : mask.shape[2]]
    keys = np.repeat(keys[:, :, :shared], N // shared, axis=2)
    return np.einsum("btnm,bsnm->bnts", queries, keys)


def of_linear(mask, shared):
    def feature(x):
        x = x.astype("float64")
        return np.where(x > 0, x, np.exp(x) - 1) + 1

    return shared_out(
        products(feature(QUERIES), feature(KEYS), mask, shared), mask, shared
    )


def of_performer(mask, shared):
    drawn = directions(8, H, 3)

    def feature(x):
        x = x.astype("float64") * SCALE**0.5
        return np.exp(x @ drawn.T - (x**2).sum(-1, keepdims=True) / 2)

    return shared_out(
        products(feature(QUERIES), feature(KEYS), mask, shared), mask, shared
    )


def scores_of(mask, shared):
    queries, keys = QUERIES.astype("float64"), KEYS.astype("float64")
    return np.where(mask, products(queries, keys, mask, shared) * SCALE, -np.inf)


def of_top_k(mask, shared):
    scores = scores_of(mask, shared)
    third = np.sort(scores, axis=-1)[..., -3:-2]
    return shared_out(np.exp(scores) * (scores >= third), mask, shared)


def of_softmax(mask, shared):
    return shared_out(np.exp(scores_of(mask, shared)), mask, shared)


FORMULAS = {
    "linear": of_linear,
    "performer": of_performer,
    "top_k": of_top_k,
}


@each_kernel
@each_way
@pytest.mark.parametrize("shared", [2, 4])
def test_formulas(request, kernel, causal, shared):
    name = request.node.callspec.id.split("-")[-1]
    formula = FORMULAS.get(name, of_softmax)
    kernel, given = kernel_part(kernel), heads(shared, causal=causal)
    context, weights = formula(seen(causal), shared)
    assert_close(kernel.attend(given), context)
    assert_close(kernel.dense_weights(given), weights)


@each_kernel
def test_without_padding(request, kernel):
    name = request.node.callspec.id.split("-")[-1]
    everything = np.ones_like(REAL)
    context, _ = FORMULAS.get(name, of_softmax)(seen(False, everything), N)
    assert_close(kernel_part(kernel).attend(heads(real=None)), context)


def test_long_causal_sums():
    """Linear attention goes from block to block as it does within one."""
    length = 300
    x = rng.normal(size=(3, 1, length, 2, 4)).astype("float32")
    given = Heads(*(ops.convert_to_tensor(part) for part in x), 1.0, None, True)
    queries, keys = np.where(x[:2] > 0, x[:2] + 1.0, np.exp(x[:2].astype("float64")))
    weights = np.einsum("btnm,bsnm->bnts", queries, keys) * np.tri(length)
    weights = weights / weights.sum(-1, keepdims=True)
    expected = np.einsum("bnts,bsnh->btnh", weights, x[2])
    assert_close(LinearKernel().attend(given), expected)


@pytest.fixture
def short_stretches(monkeypatch):
    """Texts of this file are three stretches, the last of them shorter."""
    monkeypatch.setattr(features, "STRETCH", 4)
    monkeypatch.setattr(features, "BLOCK", 2)


by_features = pytest.mark.parametrize(
    "kernel", [KERNELS["linear"], KERNELS["performer"]], ids=["linear", "performer"]
)


@by_features
@each_way
@pytest.mark.parametrize("real", [REAL, REAL[:, ::-1]], ids=["begin", "end"])
def test_stretches_add_up(request, short_stretches, kernel, causal, real):
    """Where a text is not there yet, or not any more, its stretches add nothing."""
    formula = FORMULAS[request.node.callspec.id.split("-")[-1]]
    context, _ = formula(seen(causal, real), 2)
    made = kernel_part(kernel).attend(heads(2, real, causal))
    assert_close(made, context)


@by_features
@each_way
def test_gradients_of_stretches(short_stretches, kernel, causal):
    test_gradients_are_those_by_dense_weights(kernel, causal)


class Attending(keras.layers.Layer):
    """Attention and the positions that it asks for their bias."""

    def __init__(self, kernel, shared=2):
        super().__init__()
        self.attention = MultiHeadAttention(
            D, N, shared, kernel=kernel, name="attention"
        )
        self.positions = RelativePositions(N, 8, 6, name="position")
        self.scored = kernel_part(kernel).__class__.__name__ in (
            *("BlockwiseKernel", "TopKKernel"),
        )

    def build(self, shape):
        self.attention.build(shape)
        self.positions.build(shape)

    def made(self, causal, by_weights):
        asked = {
            "attention_mask": REAL[:, None, None, :],
            "bias": self.positions.bias if self.scored else None,
            "causal": causal,
        }
        hidden = ops.convert_to_tensor(HIDDEN)
        if not by_weights:
            return self.attention.call(hidden, hidden, **asked)
        _, weights = self.attention.call(hidden, hidden, return_weights=True, **asked)
        values = ops.repeat(self.attention.value_dense.call(hidden), N // 2, axis=2)
        context = ops.einsum("bnts,bsnh->btnh", weights, values)
        return self.attention.output_dense.call(context)

    def loss(self, causal, by_weights):
        made = self.made(causal, by_weights)
        return ops.sum(made * ops.convert_to_tensor(UPSTREAM))


@pytest.mark.parametrize(
    "kernel", [v for k, v in KERNELS.items() if k != "one_block"], ids=str
)
@each_way
def test_gradients_are_those_by_dense_weights(kernel, causal):
    layer = Attending(kernel)
    layer.build(HIDDEN.shape)
    fill(layer, 1)
    assert_close(layer.made(causal, False), array(layer.made(causal, True)))
    found, expected = (
        gradients(layer, lambda way=way: layer.loss(causal, way), compiled=True)
        for way in (False, True)
    )
    for path, value in expected.items():
        largest = np.abs(value).max()
        assert largest > 0 or "position" in path or "key/bias" in path
        np.testing.assert_allclose(
            found[path], value, rtol=1e-4, atol=1e-4 * max(largest, 1.0)
        )


def test_tiles_drop_what_the_whole_drops():
    made = {}
    for kernel in (None, {"kind": "blockwise", "block": 4}):
        layer = MultiHeadAttention(
            D, N, 2, dropout=0.4, kernel=kernel, name="attention"
        )
        layer.build(HIDDEN.shape)
        fill(layer, 2)

        def call(layer=layer):
            mask = REAL[:, None, None, :]
            outputs = layer(HIDDEN, HIDDEN, attention_mask=mask, training=True)
            return ops.sum(outputs * ops.convert_to_tensor(UPSTREAM)), outputs

        first, second = (array(call()[1]) for _ in range(2))
        assert np.abs(first - second).max() > 0.01  # a mask for each call
        values = gradients(layer, lambda: call()[0])
        made[kernel is None] = [first, second, *values.values()]
    for one, other in zip(made[True][:2], made[False][:2], strict=True):
        assert_close(one, other)
    for one, other in zip(made[True][2:], made[False][2:], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_equal_scores_at_the_threshold_all_stay():
    kernel = TopKKernel(k=2)
    scores = ops.convert_to_tensor(np.array([[3.0, 1.0, 2.0, 2.0, 0.0]], "float32"))
    kept = array(kernel.chosen(scores)) > -1e30
    np.testing.assert_array_equal(kept, [[True, False, True, True, False]])


def test_performer_comes_close_to_softmax():
    """Its error is that of a mean of M samples."""
    given = heads()
    given = given._replace(queries=given.queries / 2, keys=given.keys / 2)
    context = array(kernel_part("blockwise").attend(given))
    errors = []
    for number in (30, 3000):
        kernels = [PerformerKernel(number, seed) for seed in range(4)]
        found = [array(kernel.attend(given)) - context for kernel in kernels]
        errors.append(np.sqrt(np.mean(np.square(found))))
    assert errors[0] < 0.06 and errors[1] < errors[0] / 4


def test_directions_are_orthogonal_and_as_long_as_normal_ones():
    drawn = directions(3000, 6, seed=1)
    blocks = drawn.reshape(500, 6, 6)
    products = blocks @ blocks.transpose(0, 2, 1)
    lengths = np.diagonal(products, axis1=1, axis2=2)
    np.testing.assert_allclose(products, np.eye(6) * lengths[:, None], atol=1e-12)
    assert abs(lengths.mean() - 6) < 0.3  # of squares of six normal numbers
    np.testing.assert_array_equal(drawn[:10], directions(10, 6, seed=1))
    assert np.abs(drawn - directions(3000, 6, seed=2)).max() > 0.1


@pytest.mark.parametrize("kernel", ["linear", "performer"])
def test_no_bias_and_no_dropout_where_there_are_no_weights(kernel):
    positions = RelativePositions(N)
    positions.build(HIDDEN.shape)
    with pytest.raises(ValueError, match="no scores that positions could add to"):
        kernel_part(kernel).attend(heads(bias=positions.bias))
    with pytest.raises(ValueError, match=r"no weights .* Received: dropout=0.1"):
        MultiHeadAttention(D, N, dropout=0.1, kernel=kernel)


@pytest.mark.skipif(
    operations.native_attention is not None, reason="this backend has a kernel"
)
def test_a_backend_without_a_kernel_says_so():
    with pytest.raises(ValueError, match="choose the kernel 'blockwise'"):
        kernel_part("native")
