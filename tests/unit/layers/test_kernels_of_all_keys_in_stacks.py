"""Kernels that look at all keys, as part of stacks and of saved models."""

import keras
import numpy as np
import pytest
from helpers.layers import array, assert_close, fill
from keras import ops

from kzoo.layers import TransformerDecoder, TransformerEncoder

TOKENS = np.random.default_rng(0).integers(0, 20, (2, 9))
REAL = np.arange(9) < np.array([[9], [5]])


def encoder(kernel, **options):
    made = TransformerEncoder(
        *(20, 2, 2, 8, 12),
        position="rotary",
        attention={"kernel": kernel} if kernel else None,
        name="encoder",
        **options,
    )
    made.build((2, 9))
    return fill(made, 3)


def test_dropout_is_left_out_where_there_are_no_weights():
    dropouts = {
        kernel: encoder(kernel, dropout=0.2).blocks[0].attention.dropout.rate
        for kernel in ("linear", "performer", "blockwise", "top_k")
    }
    assert dropouts == {"linear": 0, "performer": 0, "blockwise": 0.2, "top_k": 0.2}


def test_blockwise_stack_is_the_dense_one():
    plain, tiled = encoder(None), encoder({"kind": "blockwise", "block": 4})
    assert_close(tiled(TOKENS, REAL), array(plain(TOKENS, REAL)), atol=1e-5)
    weights = [
        stack(TOKENS, REAL, return_attention_weights=True)[1]["attention_weights"]
        for stack in (tiled, plain)
    ]
    for ours, theirs in zip(*weights, strict=True):
        assert_close(ours, array(theirs))


@pytest.mark.parametrize("kernel", ["linear", "performer", "top_k"])
def test_a_decoder_refuses_what_it_cannot_go_on_with(kernel):
    with pytest.raises(ValueError, match="can go on token by token"):
        TransformerDecoder(20, 1, 2, 8, 12, attention={"kernel": kernel})


def test_blockwise_decoder_writes_what_it_reads():
    decoder = TransformerDecoder(
        *(20, 1, 2, 8, 12),
        position="alibi",
        attention={"kernel": {"kind": "blockwise", "block": 4}},
        cross_attention=False,
    )
    decoder.build((2, 9))
    fill(decoder, 3)
    whole = array(decoder(TOKENS))
    cache = decoder.empty_cache(2, 1, 9)
    memory = decoder.start(length=9)
    for time in range(9):
        past = np.where(np.arange(9) <= time, 0, -1)
        ancestry = ops.convert_to_tensor(np.tile(past, (2, 1, 1)).astype("int32"))
        step = ops.convert_to_tensor(TOKENS[:, time : time + 1])
        hidden, cache = decoder.step(step, time, cache, memory, ancestry)
        assert_close(hidden[:, 0], whole[:, time], atol=1e-5)


def test_a_saved_model_holds_the_kernel(tmp_path):
    options = {"kind": "performer", "num_features": 12, "kernel_seed": 5}
    inputs = keras.Input((9,), dtype="int32")
    model = keras.Model(inputs, encoder(options)(inputs))
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    kernel = loaded.get_layer("encoder").blocks[0].attention.kernel
    assert (kernel.num_features, kernel.kernel_seed) == (12, 5)
    assert_close(loaded(TOKENS), array(model(TOKENS)))
