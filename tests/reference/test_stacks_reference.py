"""Blocks, encoder and decoder against the papers, part by part and whole."""

import numpy as np
import numpy_transformer as paper
import pytest
from helpers.layers import assert_close, fill, weights_of

from kzoo import layers

B, T, S, D, V = 3, 6, 5, 8, 13
rng = np.random.default_rng(0)
IDS = rng.integers(0, V, (B, T)).astype("int32")
PADDING = np.arange(T) < np.array([[6], [4], [1]])
ENCODED = rng.normal(size=(B, S, D)).astype("float32")
ENCODED_PADDING = np.arange(S) < np.array([[5], [2], [0]])  # one sees nothing of it
POSITIONS = ("none", "sinusoidal", "learned", "rotary", "alibi", "relative")
PLACEMENTS = ("pre", "post", "sandwich")


def encoder(position="sinusoidal", kind="gelu", norm="layer_norm", **options):
    layer = layers.TransformerEncoder(
        V, 2, 4, D, 12, position=position, feed_forward=kind, norm=norm, **options
    )
    layer.build((B, T))
    return fill(layer, 3)


def decoder(position="sinusoidal", kind="gelu", norm="layer_norm", **options):
    layer = layers.TransformerDecoder(
        V, 2, 4, D, 12, position=position, feed_forward=kind, norm=norm, **options
    )
    layer.build((B, T))
    return fill(layer, 4)


def check(layer, arguments, tolerance=5e-6, **reference):
    """Compare output, hidden states and weights; plain calls take the fused path."""
    hidden, states, shares = paper.stack(weights_of(layer), IDS, **reference)
    assert_close(layer(IDS, **arguments), hidden, atol=tolerance)
    output, extras = layer(
        IDS, return_hidden_states=True, return_attention_weights=True, **arguments
    )
    assert_close(output, hidden, atol=tolerance)
    assert len(extras["hidden_states"]) == len(states)
    for actual, expected in zip(extras["hidden_states"], states, strict=True):
        assert_close(actual, expected, atol=tolerance)
    for actual, expected in zip(extras["attention_weights"], shares, strict=True):
        actual = actual if isinstance(actual, dict) else {"self": actual}
        assert actual.keys() == expected.keys()
        for name in expected:
            assert_close(actual[name], expected[name], atol=tolerance)


@pytest.mark.parametrize("padding", [None, PADDING], ids=["whole", "padded"])
@pytest.mark.parametrize("position", POSITIONS)
def test_encoder_positions(position, padding):
    check(
        encoder(position),
        {"padding_mask": padding},
        padding=padding,
        position=position,
    )


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("norm", paper.NORMS)
@pytest.mark.parametrize("kind", ["relu", "swiglu"])
def test_encoder_parts(kind, norm, placement):
    check(
        encoder("none", kind, norm, norm_placement=placement),
        {"padding_mask": PADDING},
        padding=PADDING,
        position="none",
        kind=kind,
        norm=norm,
        placement=placement,
    )


@pytest.mark.parametrize("position", ["none", "sinusoidal", "learned"])
def test_encoder_with_narrow_token_vectors(position):
    layer = encoder(
        position,
        embedding={"embedding_dim": 4, "norm": "layer_norm", "num_segments": 2},
    )
    assert layer.embedding.table.shape == (V, 4)
    check(
        layer,
        {"padding_mask": PADDING},
        padding=PADDING,
        position=position,
        embedding_options={"norm": "layer_norm"},
    )


def test_vectors_are_scored_by_the_transposed_projection():
    layer = fill_built(layers.TokenEmbedding(V, D, embedding_dim=4))
    weights = weights_of(layer)
    expected = ENCODED @ weights["projection/kernel"].T @ weights["embeddings"].T
    assert_close(layer.logits(ENCODED), expected)
    tied = layers.OutputProjection(V).tie(layer)
    assert_close(tied(ENCODED), expected)
    narrow = ENCODED[..., :4]
    expected = narrow @ weights["embeddings"].T
    assert_close(layers.OutputProjection(V).tie(layer)(narrow), expected)


def fill_built(layer):
    layer.build((B, T))
    return fill(layer, 3)


def test_encoder_embedding_and_attention_options():
    segments = (np.arange(T) > 2).astype("int32")[None].repeat(B, 0)
    layer = encoder(
        attention={"num_key_value_heads": 2, "head_dim": 6, "use_bias": False},
        embedding={"num_segments": 2, "scale": True, "norm": "layer_norm"},
    )
    check(
        layer,
        {"segment_ids": segments, "padding_mask": PADDING},
        segments=segments,
        padding=PADDING,
        embedding_options={"scale": True, "norm": "layer_norm"},
    )


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("cross", [True, False], ids=["cross", "alone"])
def test_decoder_positions(position, cross):
    arguments = {"padding_mask": PADDING}
    reference = {}
    if cross:
        arguments |= {"encoded": ENCODED, "encoded_padding_mask": ENCODED_PADDING}
        reference = {"encoded": ENCODED.astype("float64")}
        reference |= {"encoded_padding": ENCODED_PADDING, "cross": True}
    check(
        decoder(position, cross_attention=cross),
        arguments,
        padding=PADDING,
        position=position,
        causal=True,
        **reference,
    )


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("norm", paper.NORMS)
def test_decoder_parts(norm, placement):
    check(
        decoder("none", "geglu", norm, norm_placement=placement),
        {"encoded": ENCODED},
        encoded=ENCODED.astype("float64"),
        cross=True,
        causal=True,
        position="none",
        kind="geglu",
        norm=norm,
        placement=placement,
    )


def test_decoder_reads_an_encoder_of_another_width():
    wide = rng.normal(size=(B, S, 20)).astype("float32")
    layer = layers.TransformerDecoder(V, 1, 4, D, 12)
    layer(IDS, encoded=wide)
    fill(layer, 5)
    check(
        layer,
        {"encoded": wide},
        encoded=wide.astype("float64"),
        cross=True,
        causal=True,
    )
