"""`MultiHeadAttention` against the paper, on both paths."""

import numpy as np
import numpy_transformer as paper
import pytest
from helpers.layers import array, assert_close, fill, weights_of

from kzoo.layers import MultiHeadAttention, RotaryPositions
from kzoo.layers import masks as kzoo_masks

B, T, S, D, N = 3, 5, 7, 12, 6
rng = np.random.default_rng(0)
QUERY = rng.normal(size=(B, T, D)).astype("float32")
VALUE = rng.normal(size=(B, S, D)).astype("float32")
BIAS = rng.normal(size=(B, N, T, S)).astype("float32")
OPEN = rng.random((B, N, T, S)) < 0.6
OPEN[0, :, 2] = False  # a query that sees nothing
OPEN[1, 3, 1] = False  # and one that sees nothing in one head
PADDING = np.arange(S) < np.array([[7], [3], [0]])

MASKS = {
    "none": None,
    "padding": PADDING[:, None, None, :],
    "causal": np.tril(np.ones((T, S), bool))[None, None],
    "any": OPEN,
}
BIASES = {"none": None, "full": BIAS, "per_head": BIAS[:1], "shared": BIAS[:1, :1]}


def attention(seed=1, **options):
    layer = MultiHeadAttention(D, N, **options)
    layer.build(QUERY.shape, VALUE.shape)
    return fill(layer, seed)


def check(layer, mask=None, bias=None, **options):
    """Compare both paths with the paper: outputs, and weights where there are any."""
    expected, shares = paper.attention(
        weights_of(layer),
        QUERY.astype("float64"),
        VALUE.astype("float64"),
        mask,
        None if bias is None else bias.astype("float64"),
        scale=layer.scale,
        **options,
    )
    fused = layer(QUERY, VALUE, attention_mask=mask, bias=bias)
    assert_close(fused, expected)
    explicit, weights = layer(
        QUERY, VALUE, attention_mask=mask, bias=bias, return_weights=True
    )
    assert_close(explicit, expected)
    assert_close(weights, shares)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("bias", BIASES)
def test_masks_and_biases(mask, bias):
    check(attention(), MASKS[mask], BIASES[bias])


@pytest.mark.parametrize("key_value_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("mask", ["none", "any"])
def test_grouped_heads(key_value_heads, mask):
    check(attention(num_key_value_heads=key_value_heads), MASKS[mask], BIAS)


@pytest.mark.parametrize(
    "options",
    [{"use_bias": False}, {"head_dim": 4}, {"head_dim": 1}, {"scale": 1.0}],
    ids=str,
)
def test_options(options):
    check(attention(**options), MASKS["any"], BIAS)


def test_a_query_without_keys_has_no_context():
    layer = attention()
    outputs = array(layer(QUERY, VALUE, attention_mask=OPEN))
    bias = array(layer.output_dense.bias)
    np.testing.assert_array_equal(outputs[0, 2], bias)
    assert np.abs(outputs[1, 1] - bias).max() > 0.01  # the other heads see something


@pytest.mark.parametrize("key_value_heads", [1, 3, 6])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_rotary(key_value_heads, mask):
    layer = MultiHeadAttention(D, N, key_value_heads, head_dim=4)
    layer.build(VALUE.shape)
    fill(layer, 2)
    mask = None if mask == "none" else np.tril(np.ones((S, S), bool))[None, None]
    expected, shares = paper.attention(
        weights_of(layer), *[VALUE.astype("float64")] * 2, mask, rotary=True
    )
    tables = RotaryPositions(4).rotary(np.arange(S, dtype="int32"))
    assert_close(layer(VALUE, VALUE, attention_mask=mask, rotary=tables), expected)
    outputs, weights = layer(
        VALUE, VALUE, attention_mask=mask, rotary=tables, return_weights=True
    )
    assert_close(outputs, expected)
    assert_close(weights, shares)


def test_dropped_weights_are_scaled_and_used():
    """In training the returned weights are those that made the output."""
    layer = attention(dropout=0.5)
    outputs, weights = layer(
        QUERY, VALUE, attention_mask=OPEN, return_weights=True, training=True
    )
    kept = array(weights) != 0
    assert 0.3 < kept[OPEN].mean() < 0.7
    parts = weights_of(layer)
    _, shares = paper.attention(parts, QUERY, VALUE, OPEN)
    assert_close(weights, shares * kept * 2)
    values = np.einsum("bsd,dnh->bsnh", VALUE, parts["value/kernel"])
    values = values + parts["value/bias"]
    context = np.einsum("bnts,bsnh->btnh", array(weights), values)
    expected = np.einsum("btnh,nhd->btd", context, parts["output/kernel"])
    assert_close(outputs, expected + parts["output/bias"], atol=3e-6)


def test_masks_say_who_sees_whom():
    positions = np.arange(4, dtype="int32")
    causal = array(kzoo_masks.causal_mask(positions[2:], positions))
    np.testing.assert_array_equal(
        causal, [[[[True, True, True, False], [True, True, True, True]]]]
    )
    padding = array(kzoo_masks.padding_mask(np.array([[1, 1, 0, 0]])))
    np.testing.assert_array_equal(padding, [[[[True, True, False, False]]]])
    both = array(kzoo_masks.conjunction(None, causal, padding))
    np.testing.assert_array_equal(both, causal & padding)
    assert kzoo_masks.conjunction(None, None) is None
