"""Generation's step by step against the call that sees all tokens at once."""

import itertools

import numpy as np
import pytest
from helpers.layers import array, assert_close, fill
from keras import ops

from kzoo.layers import TransformerDecoder

B, K, T, S, D, V = 3, 2, 5, 4, 8, 13
rng = np.random.default_rng(6)
ENCODED = rng.normal(size=(B, S, D)).astype("float32")
ENCODED_PADDING = np.arange(S) < np.array([[4], [2], [0]])  # one sees nothing of it
POSITIONS = ("none", "sinusoidal", "learned", "rotary", "alibi", "relative")


def decoder(position="sinusoidal", **options):
    layer = TransformerDecoder(V, 2, 4, D, 12, position=position, **options)
    layer.build((B, T), (B, S, D))
    return fill(layer, 4)


def walk(seed=0):
    """Tokens and parents of a search in which beams die and are copied."""
    rng = np.random.default_rng(seed)
    tokens = rng.integers(0, V, (T, B, K)).astype("int32")
    parents = rng.integers(0, K, (T, B, K))
    return tokens, parents


def pasts(tokens, parents):
    """The whole past of each beam at the end, int `(B, K, T)`, followed by hand."""
    found = np.zeros((B, K, T), "int32")
    for row, beam in itertools.product(range(B), range(K)):
        at = beam
        for time in reversed(range(T)):
            found[row, beam, time] = tokens[time, row, at]
            at = parents[time, row, at]
    return found


def traced(time):
    """A step's number as compiled programs know it."""
    return ops.convert_to_tensor(time, dtype="int32")


def steps(layer, tokens, parents, cross=True, number=traced, **options):
    """What the last step returns, after all of them."""
    encoded = (ENCODED, ENCODED_PADDING) if cross else (None, None)
    beams = tokens.shape[-1]
    memory = layer.start(*encoded, T)
    cache = layer.empty_cache(B, beams, T)
    ancestry = np.full((B, beams, T), -1, "int32")
    for time in range(len(tokens)):
        ancestry = np.take_along_axis(ancestry, parents[time][:, :, None], 1)
        ancestry[:, :, time] = np.arange(beams)
        found = layer.step(
            tokens[time], number(time), cache, memory, ancestry, **options
        )
        cache = found[1]
    return found


def check(layer, cross=True):
    tokens, parents = walk()
    hidden = array(steps(layer, tokens, parents, cross)[0])
    told = pasts(tokens, parents)
    arguments = {}
    if cross:
        arguments = {"encoded": ENCODED, "encoded_padding_mask": ENCODED_PADDING}
    for beam in range(K):
        whole = array(layer(told[:, beam], **arguments))
        assert_close(hidden[:, beam], whole[:, -1], atol=1e-5)


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("cross", [True, False], ids=["cross", "alone"])
def test_steps_equal_one_call(position, cross):
    check(decoder(position, cross_attention=cross), cross)


@pytest.mark.parametrize("placement", ["post", "sandwich"])
@pytest.mark.parametrize("heads", [1, 2])
def test_steps_of_other_blocks(placement, heads):
    attention = {"num_key_value_heads": heads, "head_dim": 6, "use_bias": False}
    check(
        decoder(
            "relative",
            norm="rms_norm",
            norm_placement=placement,
            attention=attention,
            feed_forward="geglu",
        )
    )


@pytest.mark.parametrize("beams", [1, 2])
def test_known_number_of_a_step_changes_nothing(beams):
    layer = decoder("relative")
    tokens, parents = walk(2)
    tokens, parents = tokens[:2, :, :beams], parents[:2, :, :beams] * (beams > 1)
    hidden = [array(steps(layer, tokens, parents, number=n)[0]) for n in (int, traced)]
    assert_close(*hidden)


def test_weights_of_a_step():
    layer = decoder("alibi")
    tokens, parents = walk(1)
    found = steps(layer, tokens, parents, return_attention_weights=True)
    hidden, _, weights = found
    assert_close(hidden, array(steps(layer, tokens, parents)[0]))
    told = pasts(tokens, parents)[:, 1]
    _, extras = layer(
        told, ENCODED, None, ENCODED_PADDING, return_attention_weights=True
    )
    for actual, expected in zip(weights, extras["attention_weights"], strict=True):
        assert_close(
            actual["cross"][:, :, 1], array(expected["cross"])[:, :, -1], atol=1e-5
        )


def test_cross_attention_takes_no_memory_per_beam():
    layer = decoder()
    memory = layer.start(ENCODED, ENCODED_PADDING, T)
    for block in memory["cross"]:
        assert {tuple(x.shape) for x in block.values()} == {(B, 4, S, 2)}
    for beams in (1, 7):
        for block in layer.empty_cache(B, beams, T):
            assert {tuple(x.shape) for x in block.values()} == {(B, 4, T * beams, 2)}


def test_bigrams_are_refused():
    layer = decoder(embedding={"bigram_buckets": 16})
    with pytest.raises(ValueError, match=r"no bigrams. Received: bigram_buckets=16$"):
        layer.start(ENCODED)
