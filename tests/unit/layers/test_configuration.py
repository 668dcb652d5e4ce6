"""Every layer is its config: made again from it, it computes the same."""

import json

import keras
import numpy as np
import pytest
from helpers.layers import array, fill

from kzoo import layers

rng = np.random.default_rng(6)
X = rng.normal(size=(2, 5, 8)).astype("float32")
IDS = rng.integers(0, 9, (2, 5)).astype("int32")
NORM = keras.layers.LayerNormalization(epsilon=1e-12)


def attention(**options):
    return layers.MultiHeadAttention(8, 4, **options)


def block(kind, **options):
    feed_forward = layers.GatedFeedForward(8, 12, "silu", dropout=0.2)
    return kind(attention(dropout=0.1), feed_forward, NORM, **options)


def stack(kind, **options):
    return kind(9, 2, 4, 8, 12, **options)


CUSTOM = {
    "position": layers.LearnedPositions(8, 17),
    "feed_forward": layers.FeedForward(8, 10, "tanh", use_bias=False),
    "norm": NORM,
    "attention": {"num_key_value_heads": 2, "head_dim": 6, "dropout": 0.3},
    "embedding": {"num_segments": 3, "norm": NORM, "scale": True},
}
LAYERS = {  # name: (layer, call arguments)
    "dropout": (layers.Dropout(0.3), [X]),
    "projection": (layers.Projection((2, 3), use_bias=False), [X]),
    "projection_back": (layers.Projection(3, num_input_axes=2), [X]),
    "feed_forward": (layers.FeedForward(8, 12, "gelu_tanh", 0.1, False), [X]),
    "gated": (layers.GatedFeedForward(8, 12, "silu"), [X]),
    "attention": (attention(), [X, X]),
    "attention_custom": (
        attention(
            num_key_value_heads=2, head_dim=6, dropout=0.2, use_bias=False, scale=0.7
        ),
        [X, X],
    ),
    "embedding": (layers.TokenEmbedding(9, 8), [IDS]),
    "embedding_custom": (
        layers.TokenEmbedding(9, 8, 2, True, "rms_norm", 0.1, token_dropout=0.2),
        [IDS, IDS % 2],
    ),
    "embedding_narrow": (
        layers.TokenEmbedding(9, 8, norm="layer_norm", embedding_dim=3),
        [IDS],
    ),
    "embedding_norm": (layers.TokenEmbedding(9, 8, norm=NORM), [IDS]),
    "residual": (layers.ResidualStep(NORM, "sandwich", 0.1), [X, X]),
    "encoder_block": (block(layers.EncoderBlock, norm_placement="post"), [X]),
    "decoder_block": (block(layers.DecoderBlock, dropout=0.2), [X, X]),
    "decoder_block_alone": (block(layers.DecoderBlock, cross_attention=False), [X]),
    "encoder": (stack(layers.TransformerEncoder), [IDS]),
    "encoder_custom": (stack(layers.TransformerEncoder, **CUSTOM), [IDS]),
    "encoder_alternating": (
        stack(
            layers.TransformerEncoder,
            position=layers.AlternatingPositions(
                layers.RotaryPositions(2), layers.AlibiPositions(4), 2, 1
            ),
            norm_placement="pre_but_first",
            share_blocks=2,
        ),
        [IDS],
    ),
    "encoder_disentangled": (
        stack(
            layers.TransformerEncoder,
            position=layers.PositionPair(
                layers.LearnedPositions(8, 17),
                layers.DisentangledPositions(8, 9, 4, NORM, dropout=0.1),
            ),
            attention={"train_key_bias": True},
        ),
        [IDS],
    ),
    "encoder_named": (
        stack(
            layers.TransformerEncoder,
            position="relative",
            feed_forward="swiglu",
            norm="rms_norm",
            norm_placement="sandwich",
            dropout=0.0,
        ),
        [IDS],
    ),
    "decoder": (stack(layers.TransformerDecoder, position="rotary"), [IDS, X]),
    "decoder_alone": (
        stack(layers.TransformerDecoder, cross_attention=False, **CUSTOM),
        [IDS],
    ),
}
SCHEMES = [
    layers.SinusoidalPositions(8, base=50.0),
    layers.SinusoidalPositions(8, halves=True, max_sequence_length=9),
    layers.LearnedPositions(8, 7),
    layers.RotaryPositions(8, base=50.0),
    layers.AlibiPositions(6),
    layers.RelativePositions(4, 16, 60, bidirectional=False),
    layers.RelativePositions(4, 16, 60, neighbour_bias=5.0),
]


def remade(layer, way):
    if way == "config":
        config = layer.get_config()
        again = type(layer).from_config(config)
        assert again.get_config() == config
        return again
    text = json.dumps(keras.saving.serialize_keras_object(layer))
    return keras.saving.deserialize_keras_object(json.loads(text))


def policy_of(layer):
    return {
        part.dtype_policy.name
        for part in [layer, *layer._flatten_layers(include_self=False)]
    }


@pytest.mark.parametrize(
    "way, dtype", [("config", "float32"), ("saving", "mixed_bfloat16")]
)
@pytest.mark.parametrize("name", LAYERS)
def test_made_again(name, way, dtype):
    pattern, arguments = LAYERS[name]
    config = {**pattern.get_config(), "dtype": dtype, "name": name}
    layer = type(pattern).from_config(config)
    layer(*arguments)
    again = remade(layer, way)
    again(*arguments)
    assert policy_of(again) == policy_of(layer) == {dtype}
    assert [w.path for w in again.weights] == [w.path for w in layer.weights]
    for one, other in zip(layer.weights, again.weights, strict=True):
        np.testing.assert_array_equal(array(one.value), array(other.value))
    for training in (False, True):  # dropout has the same key and rate
        one = layer(*arguments, training=training)
        other = again(*arguments, training=training)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(
            array(keras.ops.cast(one, "float32")),
            array(keras.ops.cast(other, "float32")),
        )


@pytest.mark.parametrize("way", ["config", "saving"])
@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)
def test_schemes_made_again(scheme, way):
    again = remade(scheme, way)
    where = np.arange(6, dtype="int32")
    for layer in (scheme, again):
        if not layer.built:
            layer.build()
        fill(layer)
    answers = [
        [layer.embedding(where), layer.bias(where, where), *(layer.rotary(where) or ())]
        for layer in (scheme, again)
    ]
    assert any(answer is not None for answer in answers[0])
    for one, other in zip(*answers, strict=True):
        if one is None:
            assert other is None
        else:
            np.testing.assert_array_equal(array(one), array(other))


@pytest.mark.parametrize("name", ["encoder", "encoder_custom", "decoder"])
def test_bfloat16_is_near_float32(name):
    pattern, arguments = LAYERS[name]
    outputs = []
    for dtype in ("float32", "mixed_bfloat16"):
        config = {**pattern.get_config(), "dtype": dtype, "name": name}
        layer = type(pattern).from_config(config)
        output = layer(*arguments)
        assert keras.backend.standardize_dtype(output.dtype) == layer.compute_dtype
        assert {w.dtype for w in layer.trainable_weights} == {"float32"}
        outputs.append(array(keras.ops.cast(output, "float32")))
    difference = np.abs(outputs[0] - outputs[1])
    assert 0 < difference.max() < 2**-8 * 16  # bfloat16's rounding times the depth
