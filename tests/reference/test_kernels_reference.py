"""Kernels of attention against dense attention with the same mask, in float64."""

from itertools import pairwise

import numpy as np
import numpy_transformer as paper
import pytest
from helpers.layers import array, assert_close, fill, weights_of
from keras import ops

from kzoo.layers import AlibiPositions, MultiHeadAttention, RotaryPositions
from kzoo.layers.kernels import bands
from kzoo.layers.kernels.big_bird import BigBirdKernel
from kzoo.layers.kernels.kernel import Heads
from kzoo.training.steppers.gradients import gradients

B, D, N, K = 3, 12, 4, 2
# What it is, its options, the length of the text, and how positions speak; in
# alternation causal or not.
CASES = {
    "window": ("window", {"window": 2}, 13, "alibi"),
    "causal window of whole blocks": ("window", {"window": 4}, 16, "rotary"),
    "window that sees all": ("window", {"window": 40}, 13, "rotary"),
    "causal window on one token": ("window", {"window": 2}, 1, None),
    "longformer": ("longformer", {"window": 2}, 13, "rotary"),
    "causal longformer": ("longformer", {"window": 2, "num_global": 6}, 13, "alibi"),
    "longformer, uneven": ("longformer", {"window": 3, "num_global": 2}, 22, "alibi"),
    "causal longformer, uneven": (
        *("longformer", {"window": 3, "num_global": 2}, 21),
        "alibi",
    ),
    "longformer, dilated": ("longformer", {"window": 2, "dilation": 2}, 23, "alibi"),
    "longformer, all global": ("longformer", {"window": 1, "num_global": 9}, 5, None),
    "causal longformer, none global": (
        *("longformer", {"window": 6, "num_global": 0}, 19),
        None,
    ),
    "big bird": ("big_bird", {"block_size": 2, "num_random": 2}, 21, "alibi"),
    "big bird, none drawn": ("big_bird", {"block_size": 3, "num_random": 0}, 18, None),
}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Several blocks in a short text."""
    monkeypatch.setattr(bands, "LEAST", 4)


def sees(kind, options, length, causal, drawn=None):
    """Who sees whom, pair by pair, from the papers."""
    mask = np.zeros((length, length), bool)
    if kind == "big_bird":
        size, last = options["block_size"], (length - 1) // options["block_size"]
        for t, s in np.ndindex(length, length):
            one, other = t // size, s // size
            mask[t, s] = abs(one - other) <= 1 or {one, other} & {0, last}
            if 0 < one < last:
                mask[t, s] |= other in drawn[one - 1]
        return mask[None, None]
    step, first = options.get("dilation", 1), 0
    if kind == "longformer":
        first = options.get("num_global", 1)
    for t, s in np.ndindex(length, length):
        near = abs(t - s) % step == 0 and abs(t - s) // step <= options["window"]
        mask[t, s] = (near or t < first or s < first) and (s <= t or not causal)
    return mask[None, None]


def text(length, seed=0):
    """Vectors, and the padding of a full text, one of half the length, and none."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(B, length, D)).astype("float32")
    return x, np.arange(length) < np.array([[length], [length // 2], [0]])


def attention(kind, options, length, **more):
    kernel = {"kind": kind, **options}
    layer = MultiHeadAttention(D, N, K, head_dim=4, kernel=kernel, **more)
    layer.build((B, length, D))
    return fill(layer, 1)


@pytest.mark.parametrize("case", CASES)
def test_it_is_dense_attention_with_its_mask(case):
    kind, options, length, position = CASES[case]
    causal = case.startswith("causal")
    layer = attention(kind, options, length)
    x, padding = text(length)
    drawn = None
    if kind == "big_bird":
        drawn = array(layer.kernel.drawn(-(-length // options["block_size"])))
    mask = sees(kind, options, length, causal, drawn) & padding[:, None, None, :]
    positions, expected = {}, {}
    if position == "alibi":
        positions = {"bias": AlibiPositions(N).bias}
        expected = {"bias": paper.alibi_bias(N, length, length)}
    elif position == "rotary":
        places = np.arange(length, dtype="int32")
        positions = {"rotary": RotaryPositions(4).rotary(places)}
        expected = {"rotary": True}
    expected, shares = paper.attention(
        weights_of(layer), *[x.astype("float64")] * 2, mask, **expected
    )
    actual, weights = layer(
        *(x, x, padding[:, None, None, :]),
        causal=causal,
        return_weights=True,
        **positions,
    )
    assert_close(actual, expected)
    assert_close(weights, shares)


def test_without_padding_all_tokens_are_real():
    layer = attention("longformer", {"window": 2}, 13)
    x, _ = text(13)
    everything = np.ones((B, 1, 1, 13), bool)
    assert_close(layer(x, x), array(layer(x, x, attention_mask=everything)))


def test_a_length_that_is_not_known_changes_nothing():
    """As TensorFlow compiles it: then places are filled up, and masks tell them."""
    case = CASES["longformer, uneven"]
    x, padding = (ops.convert_to_tensor(x) for x in text(case[2]))
    queries = ops.reshape(x, (B, case[2], N, -1))
    keys = queries[:, :, :K]
    heads = Heads(queries, keys, keys, 0.5, padding, bias=AlibiPositions(N).bias)
    known = bands.attend(heads, 3, first=2)
    assert_close(bands._Bands(heads, 3, 1, 2).context(), array(known))


@pytest.mark.parametrize("case", ["longformer, dilated", "longformer, uneven"])
def test_gradients_are_those_of_dense_attention(case):
    kind, options, length, _ = CASES[case]
    layer = attention(kind, options, length)
    full = MultiHeadAttention(D, N, K, head_dim=4)
    full.build((B, length, D))
    fill(full, 1)
    x, padding = text(length)
    padding = padding[:, None, None, :]
    mask = padding & sees(kind, options, length, False)
    one, other = (
        gradients(
            layer,
            lambda layer=layer, mask=mask: ops.sum(
                ops.square(layer(x, x, attention_mask=mask))
            ),
            compiled=True,
        )
        for layer, mask in ((layer, padding), (full, mask))
    )
    for actual, expected in zip(one.values(), other.values(), strict=True):
        largest = np.abs(expected).max()
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-4 * largest)


def test_dropped_weights_are_those_of_one_seed():
    """The same step gives the same, another one other; what is kept is scaled."""
    layer = attention("longformer", {"window": 2}, 13, dropout=0.5)
    x, padding = text(13)
    calls = [array(layer(x, x, padding[:, None, None, :], training=True)) for _ in "12"]
    assert np.abs(calls[0] - calls[1]).max() > 0.01
    nothing = array(layer.output_dense.bias)
    for output in calls:
        np.testing.assert_array_equal(output[2], np.broadcast_to(nothing, (13, D)))
    again = attention("longformer", {"window": 2}, 13, dropout=0.5)
    first = array(again(x, x, padding[:, None, None, :], training=True))
    np.testing.assert_array_equal(calls[0], first)


def by_integers(number, count, key):
    """Which blocks are drawn, in Python's own integers: on every backend the same."""

    def mix(x):
        for bits, factor in ((16, 0x7FEB352D), (15, 0x846CA68B), (16, 1)):
            x = ((x ^ x >> bits) * factor) & 0xFFFFFFFF
        return x

    rows = []
    for block in range(1, number - 1):
        left = [b for b in range(1, number - 1) if abs(b - block) > 1]
        if block in (1, number - 2):  # One of these has but one neighbour inside.
            left.remove(3 if block == 1 else number - 4)
        borders = [k * len(left) // count for k in range(count + 1)]
        rows.append(
            [
                left[
                    low
                    + (mix(mix(block * count + k) ^ key & 0xFFFFFFFF) % 2**30)
                    % (high - low)
                ]
                for k, (low, high) in enumerate(pairwise(borders))
            ]
        )
    return rows


@pytest.mark.parametrize("number", [9, 10, 40])
def test_blocks_are_drawn_once_each_and_of_those_that_are_left(number):
    kernel = BigBirdKernel(num_random=2)
    kernel.build((None, None, D), (N, 3))
    drawn = array(kernel.drawn(number))
    assert drawn.shape == (number - 2, 2)
    for block, row in enumerate(drawn, start=1):
        assert len(set(row)) == 2
        assert not set(row) & {0, block - 1, block, block + 1, number - 1}
        assert row.min() >= 0 and row.max() < number
    if number == 40:  # Many blocks are drawn, and other ones with another seed.
        assert len(set(drawn.ravel())) > 20
        other = BigBirdKernel(num_random=2, kernel_seed=1)
        other.build((None, None, D), (N, 3))
        assert (array(other.drawn(number)) != drawn).mean() > 0.7
        np.testing.assert_array_equal(drawn, by_integers(number, 2, kernel.key))


def test_a_short_text_sees_all_of_itself():
    layer = attention("big_bird", {"block_size": 2, "num_random": 1}, 14)
    full = MultiHeadAttention(D, N, K, head_dim=4)
    full.build((B, 14, D))
    fill(full, 1)
    x, padding = text(14)
    padding = padding[:, None, None, :]
    np.testing.assert_array_equal(
        array(layer(x, x, attention_mask=padding)),
        array(full(x, x, attention_mask=padding)),
    )
