"""Stacks whose attention has a kernel: the same as with a mask, and step by step."""

import keras
import numpy as np
import pytest
from helpers.layers import array, assert_close
from keras import ops

from kzoo import layers
from kzoo.layers.kernels import bands

rng = np.random.default_rng(2)
IDS = rng.integers(0, 30, (2, 11)).astype("int32")
PADDING = np.arange(11) < np.array([[11], [6]])


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(bands, "LEAST", 4)


def stack(kind, kernel, position, **options):
    layers.set_seed(3)
    return kind(
        *(30, 1, 2, 8, 12),
        position=position,
        attention={"kernel": kernel},
        name="stack",
        **options,
    )


def test_an_encoder_hands_positions_and_padding_to_its_kernel():
    """A window over all tokens is plain attention."""
    kernel = {"kind": "window", "window": 11}
    one = stack(layers.TransformerEncoder, kernel, "relative")
    other = stack(layers.TransformerEncoder, None, "relative")
    expected, more = other(IDS, PADDING, return_attention_weights=True)
    actual, ours = one(IDS, PADDING, return_attention_weights=True)
    assert_close(actual, array(expected), atol=1e-5)
    [weights], [theirs] = ours["attention_weights"], more["attention_weights"]
    assert_close(weights, array(theirs))
    narrow = stack(layers.TransformerEncoder, {**kernel, "window": 2}, "relative")
    assert np.abs(array(narrow(IDS, PADDING)) - array(expected)).max() > 0.01


@pytest.mark.parametrize("position", ["alibi", "rotary"])
@pytest.mark.parametrize("known", [True, False])
def test_a_decoder_goes_on_step_by_step(position, known):
    kernel = {"kind": "longformer", "window": 2, "num_global": 1}
    decoder = stack(layers.TransformerDecoder, kernel, position, cross_attention=False)
    whole = array(decoder(IDS))
    memory, beams = decoder.start(length=11), 2 if known else 1
    cache = decoder.empty_cache(2, beams, 11)
    for time in range(11 if known else 7):
        past = np.where(np.arange(11) <= time, np.arange(beams)[:, None], -1)
        past = np.repeat(past[None], 2, axis=0).astype("int32")
        hidden, cache = decoder.step(
            np.repeat(IDS[:, time : time + 1], beams, axis=1),
            time if known else ops.convert_to_tensor(time, dtype="int32"),
            cache,
            memory,
            ops.convert_to_tensor(past),
        )
        for beam in range(beams):
            assert_close(hidden[:, beam], whole[:, time], atol=1e-5)


def test_a_decoder_looks_at_an_encoder_densely():
    decoder = stack(layers.TransformerDecoder, "window", "none")
    decoder.build((None, None))
    assert decoder.blocks[0].attention.kernel.window == 256
    assert decoder.blocks[0].cross_attention.kernel is None


@pytest.mark.parametrize(
    "kernel",
    [
        "window",
        {"kind": "longformer", "window": 2, "own_projections": True},
        {"kind": "big_bird", "block_size": 1, "num_random": 1, "kernel_seed": 5},
    ],
    ids=str,
)
def test_an_encoder_is_its_config_and_its_file(kernel, tmp_path):
    encoder = stack(layers.TransformerEncoder, kernel, "rotary")
    expected = array(encoder(IDS, PADDING))
    model = keras.Sequential([keras.Input((None,), dtype="int32"), encoder])
    model.save_weights(tmp_path / "w.weights.h5")
    again = type(encoder).from_config(encoder.get_config())
    assert again.get_config() == encoder.get_config()
    other = keras.Sequential([keras.Input((None,), dtype="int32"), again])
    other.load_weights(tmp_path / "w.weights.h5")
    assert_close(again(IDS, PADDING), expected)
