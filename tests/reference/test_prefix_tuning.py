"""Prefixes against float64: in attention, in whole stacks and step by step."""

import numpy as np
import pytest
from helpers.layers import array, assert_close, fill, weights_of
from numpy_transformer import attention as formula
from numpy_transformer import stack
from test_decoder_steps import (
    ENCODED,
    ENCODED_PADDING,
    B,
    D,
    K,
    T,
    V,
    pasts,
    steps,
    walk,
)

import kzoo
from kzoo.layers import (
    MultiHeadAttention,
    RotaryPositions,
    TransformerDecoder,
    TransformerEncoder,
)
from kzoo.layers.adaptation import PrefixTuning
from kzoo.models.adaptation import folded
from tests.helpers.adapted import answers, classifier, shaken, writer

P = 3
POSITIONS = ("learned", "rotary", "alibi", "relative")
IDS = np.random.default_rng(3).integers(0, V, (B, T)).astype("int32")
SEEN = np.arange(T) < np.array([[T], [2], [0]])  # one text is all padding


def adapted(kind, position, projection=False, **options):
    layer = kind(V, 2, 4, D, 12, position=position, **options)
    layer.adapt(PrefixTuning(length=P, projection=projection))
    layer.build((B, T))
    return fill(layer, 4)


@pytest.mark.parametrize("heads, rotary", [(4, False), (2, True)])
def test_attention_sees_the_prefix_first(heads, rotary):
    rng = np.random.default_rng(heads)
    layer = MultiHeadAttention(D, 4, num_key_value_heads=heads)
    layer.build((None, None, D))
    weights = weights_of(fill(layer, 1))
    x = rng.normal(size=(B, T, D)).astype("float32")
    prefix = rng.normal(size=(2, P, heads, 2)).astype("float32")
    bias = rng.normal(size=(1, 4, T, T)).astype("float32")
    told = {"attention_mask": SEEN[:, None, None, :], "bias": bias}
    tables = RotaryPositions(2).rotary(np.arange(T, dtype="int32"))
    more = {"rotary": tables if rotary else None, "prefix": tuple(prefix)}
    expected = formula(
        *(weights, x, x, told["attention_mask"], bias), rotary=rotary, prefix=prefix
    )
    found = layer(x, x, return_weights=True, **told, **more)
    for actual, wanted in zip(found, expected, strict=True):
        assert_close(actual, wanted, atol=3e-6)
    assert_close(layer(x, x, **told, **more), expected[0], atol=3e-6)


@pytest.mark.parametrize("position", POSITIONS)
def test_an_encoder_is_the_formula(position):
    layer = adapted(TransformerEncoder, position)
    hidden, states, shares = stack(weights_of(layer), IDS, SEEN, position)
    assert_close(layer(IDS, SEEN), hidden, atol=1e-5)
    asked = {"return_hidden_states": True, "return_attention_weights": True}
    output, extras = layer(IDS, SEEN, **asked)
    assert_close(output, hidden, atol=1e-5)
    for actual, expected in zip(extras["hidden_states"], states, strict=True):
        assert_close(actual, expected, atol=1e-5)
    for actual, expected in zip(extras["attention_weights"], shares, strict=True):
        assert expected["self"].shape == (B, 4, T, P + T)
        assert_close(actual, expected["self"], atol=1e-5)


@pytest.mark.parametrize("position", POSITIONS)
def test_a_decoder_is_the_formula_and_its_steps_are(position):
    layer = adapted(TransformerDecoder, position)
    weights = weights_of(layer)
    tokens, parents = walk()
    told = pasts(tokens, parents)
    hidden, _, shares = steps(layer, tokens, parents, return_attention_weights=True)
    for beam in range(K):
        expected, _, wanted = stack(
            *(weights, told[:, beam], None, position),
            causal=True,
            encoded=ENCODED,
            encoded_padding=ENCODED_PADDING,
            cross=True,
        )
        whole = layer(told[:, beam], ENCODED, None, ENCODED_PADDING)
        assert_close(whole, expected, atol=1e-5)
        assert_close(array(hidden)[:, beam], expected[:, -1], atol=1e-5)
        for actual, layers in zip(shares, wanted, strict=True):
            own = array(actual["self"])[:, :, beam, :P]
            assert_close(own, layers["self"][:, :, -1, :P], atol=1e-5)


@pytest.mark.parametrize("beams", [1, 2])
def test_known_number_of_a_step_changes_nothing(beams):
    layer = adapted(TransformerDecoder, "relative", projection=True)
    tokens, parents = walk(2)
    tokens, parents = tokens[:2, :, :beams], parents[:2, :, :beams] * (beams > 1)
    hidden = array(steps(layer, tokens, parents)[0])
    assert_close(array(steps(layer, tokens, parents, number=int)[0]), hidden)


def test_layers_that_share_a_block_have_prefixes_of_their_own():
    layer = adapted(TransformerEncoder, "learned", share_blocks=2)
    weights = weights_of(layer)
    assert weights["prefix/keys"].shape == (P, 2, 4, 2)
    again = {n.replace("block_0", "block_1"): x for n, x in weights.items()}
    hidden = stack({**weights, **again}, IDS, SEEN, "learned")[0]
    assert_close(layer(IDS, SEEN), hidden, atol=1e-5)


@pytest.mark.parametrize("kind", [classifier, writer])
def test_what_two_layers_make_of_vectors_is_folded_away(kind):
    made = kzoo.adapt(kind(), {"method": "prefix", "length": P, "projection": True})
    plain = folded(shaken(made))
    paths = [w.path for w in plain.encoder.trainable_weights]
    assert paths == ["encoder/prefix/keys", "encoder/prefix/values"]
    np.testing.assert_allclose(answers(plain), answers(made), rtol=1e-5, atol=2e-6)
    own = {w.name: array(w).astype("float64") for w in made.encoder.prefix.weights}
    inner = np.tanh(own["vectors"] @ own["inner"] + own["inner_bias"])
    for half in ("keys", "values"):
        wanted = np.tensordot(inner, own[f"outer_{half}"], 1)
        wanted = wanted + own[f"outer_{half}_bias"]
        assert_close(getattr(plain.encoder.prefix, half), wanted, atol=2e-6)
    assert folded(plain) is plain
