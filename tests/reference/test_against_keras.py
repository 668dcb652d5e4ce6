"""Attention, blocks and positions against Keras' and keras-hub's own layers."""

import keras
import numpy as np
import pytest
from helpers import torch_weights
from helpers.layers import array, assert_close, fill

from kzoo import layers
from kzoo.layers.positions import rotate

B, T, S, D, N = 3, 6, 5, 12, 4
rng = np.random.default_rng(2)
X = rng.normal(size=(B, T, D)).astype("float32")
ENCODED = rng.normal(size=(B, S, D)).astype("float32")
PADDING = np.arange(T) < np.array([[6], [4], [2]])
ENCODED_PADDING = np.arange(S) < np.array([[5], [3], [1]])
ATTENTION = ("query", "key", "value", "output")


@pytest.fixture(scope="module")
def keras_hub():
    return pytest.importorskip("keras_hub", reason="compares with keras-hub")


def dense_of(layer, target):
    return {f"{target}/kernel": layer.kernel, f"{target}/bias": layer.bias}


def attention_of(layer, target=""):
    """Keras' attention layers name their projections alike and shape them alike."""
    found = {}
    for name in ATTENTION:
        found |= dense_of(getattr(layer, f"_{name}_dense"), f"{target}{name}")
    return found


def norm_of(layer, target):
    return {f"{target}/gamma": layer.gamma, f"{target}/beta": layer.beta}


def assign(layer, found):
    arrays = {path: array(weight.value) for path, weight in found.items()}
    torch_weights.assign(layer, arrays)


@pytest.mark.parametrize("masked", [False, True])
def test_multi_head_attention(masked):
    theirs = keras.layers.MultiHeadAttention(N, D // N)
    mask = rng.random((B, T, S)) < 0.6
    mask[..., 0] = True  # Keras has no zeros for a query that sees nothing
    mask = mask if masked else None
    theirs(X, ENCODED)
    fill(theirs)
    ours = layers.MultiHeadAttention(D, N)
    ours.build(X.shape, ENCODED.shape)
    assign(ours, attention_of(theirs))
    expected, scores = theirs(
        X, ENCODED, attention_mask=mask, return_attention_scores=True
    )
    mask = mask[:, None] if masked else None
    output, weights = ours(X, ENCODED, attention_mask=mask, return_weights=True)
    assert_close(output, array(expected), atol=3e-6)
    assert_close(weights, array(scores), atol=3e-6)
    assert_close(ours(X, ENCODED, attention_mask=mask), array(expected), atol=3e-6)


@pytest.mark.parametrize("key_value_heads", [1, 2, 4])
def test_grouped_query_attention(key_value_heads):
    theirs = keras.layers.GroupQueryAttention(D // N, N, key_value_heads)
    theirs(X, ENCODED)
    fill(theirs)
    ours = layers.MultiHeadAttention(D, N, key_value_heads)
    ours.build(X.shape, ENCODED.shape)
    assign(ours, attention_of(theirs))
    expected, _ = theirs(X, ENCODED, return_attention_scores=True)
    assert_close(ours(X, ENCODED), array(expected), atol=3e-6)


def block_parts(theirs, placement, cross=False):
    slot = {"pre": "norm_before", "post": "norm_outside"}[placement]
    found = {
        **attention_of(theirs._self_attention_layer, "attention/"),
        **norm_of(theirs._self_attention_layer_norm, f"attention_step/{slot}"),
        **dense_of(theirs._feedforward_intermediate_dense, "feed_forward/input"),
        **dense_of(theirs._feedforward_output_dense, "feed_forward/output"),
        **norm_of(theirs._feedforward_layer_norm, f"feed_forward_step/{slot}"),
    }
    if cross:
        found |= attention_of(theirs._cross_attention_layer, "cross_attention/")
        found |= norm_of(
            theirs._cross_attention_layer_norm, f"cross_attention_step/{slot}"
        )
    return found


def block(kind, placement):
    return kind(
        layers.MultiHeadAttention(D, N),
        layers.FeedForward(D, 20, "gelu_tanh"),
        keras.layers.LayerNormalization(epsilon=1e-5),
        placement,
    )


def gelu_tanh(x):
    return keras.activations.gelu(x, approximate=True)


@pytest.mark.parametrize("placement", ["pre", "post"])
def test_encoder_block(keras_hub, placement):
    theirs = keras_hub.layers.TransformerEncoder(
        20, N, activation=gelu_tanh, normalize_first=placement == "pre"
    )
    theirs(X)
    fill(theirs)
    ours = block(layers.EncoderBlock, placement)
    ours.build(X.shape)
    assign(ours, block_parts(theirs, placement))
    expected = array(theirs(X, padding_mask=PADDING))
    actual = ours(X, attention_mask=PADDING[:, None, None, :])
    assert_close(actual, expected, atol=1e-5)


@pytest.mark.parametrize("placement", ["pre", "post"])
@pytest.mark.parametrize("cross", [True, False], ids=["cross", "alone"])
def test_decoder_block(keras_hub, placement, cross):
    theirs = keras_hub.layers.TransformerDecoder(
        20, N, activation=gelu_tanh, normalize_first=placement == "pre"
    )
    encoded = {"encoder_sequence": ENCODED} if cross else {}
    theirs(X, **encoded)
    fill(theirs)
    ours = block(layers.DecoderBlock, placement)
    if not cross:
        config = {**ours.get_config(), "cross_attention": False}
        ours = layers.DecoderBlock.from_config(config)
    ours.build(X.shape, ENCODED.shape)
    assign(ours, block_parts(theirs, placement, cross))
    if cross:
        encoded["encoder_padding_mask"] = ENCODED_PADDING
    expected = array(theirs(X, decoder_padding_mask=PADDING, **encoded))
    causal = np.tril(np.ones((T, T), bool)) & PADDING[:, None, None, :]
    actual = ours(
        X,
        ENCODED if cross else None,
        attention_mask=causal,
        encoded_mask=ENCODED_PADDING[:, None, None, :] if cross else None,
    )
    assert_close(actual, expected, atol=1e-5)


def test_sinusoidal_positions(keras_hub):
    expected = array(keras_hub.layers.SinePositionEncoding()(X))[0]
    actual = layers.SinusoidalPositions(D).embedding(np.arange(T, dtype="int32"))
    assert_close(actual, expected, atol=3e-6)


def test_rotary_positions(keras_hub):
    heads = rng.normal(size=(B, T, N, 8)).astype("float32")
    expected = array(keras_hub.layers.RotaryEmbedding()(heads))
    tables = layers.RotaryPositions(8).rotary(np.arange(T, dtype="int32"))
    assert_close(rotate(heads, tables), expected, atol=3e-6)
