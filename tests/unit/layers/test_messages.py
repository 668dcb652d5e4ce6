"""Each error says what was wrong, with the value that it names."""

import keras
import numpy as np
import pytest

from kzoo import layers
from kzoo.layers.stack import TransformerStack

X = np.zeros((1, 3, 8), "float32")
IDS = np.zeros((1, 3), "int32")


def stack(kind=layers.TransformerEncoder, **options):
    arguments = {
        "vocabulary_size": 9,
        "num_layers": 1,
        "num_heads": 2,
        "hidden_dim": 8,
        "intermediate_dim": 12,
    }
    return kind(**{**arguments, **options})


def attend(**arguments):
    return layers.MultiHeadAttention(8, 2)(X, **arguments)


CACHE = {"key": np.zeros((1, 2, 3, 4)), "value": np.zeros((1, 2, 3, 4))}
NORM = keras.layers.LayerNormalization()
CASES = {
    "heads": (
        lambda: layers.MultiHeadAttention(10, 4),
        "`num_heads` must divide `hidden_dim` unless `head_dim` is given. "
        "Received: num_heads=4, hidden_dim=10",
    ),
    "key_value_heads": (
        lambda: layers.MultiHeadAttention(8, 4, 3),
        "`num_key_value_heads` must divide `num_heads`. "
        "Received: num_key_value_heads=3, num_heads=4",
    ),
    "neither": (attend, "Attention needs `value` or `cache`. Received: neither"),
    "cache_without_start": (
        lambda: attend(value=X, cache=CACHE),
        "A cache is written when both `value` and `cache_start` are given, read only "
        "when neither is. Received: cache_start=None, value given",
    ),
    "start_without_value": (
        lambda: attend(cache=CACHE, cache_start=1),
        "A cache is written when both `value` and `cache_start` are given, read only "
        "when neither is. Received: cache_start=1, value None",
    ),
    "placement": (
        lambda: layers.ResidualStep(NORM, "both"),
        "`norm_placement` must be one of 'pre', 'post', 'sandwich', 'none'. "
        "Received: norm_placement='both'",
    ),
    "encoder_placement": (
        lambda: stack(norm_placement="Pre"),
        "`norm_placement` must be one of 'pre', 'post', 'sandwich', 'pre_but_first'. "
        "Received: norm_placement='Pre'",
    ),
    "activation": (
        lambda: layers.FeedForward(8, 12, "swish"),
        "`activation` must be one of 'relu', 'gelu', 'gelu_tanh', 'quick_gelu', "
        "'silu', 'tanh', 'linear'. Received: activation='swish'",
    ),
    "feed_forward": (
        lambda: stack(feed_forward="gegelu"),
        "`feed_forward` must be a layer or one of 'relu', 'gelu', 'gelu_tanh', "
        "'silu', 'reglu', 'geglu', 'geglu_tanh', 'swiglu'. Did you mean 'geglu'? "
        "Received: feed_forward='gegelu'",
    ),
    "norm": (
        lambda: stack(norm="batch"),
        "`norm` must be a layer or one of 'layer_norm', 'rms_norm'. "
        "Received: norm='batch'",
    ),
    "no_norm": (
        lambda: stack(norm=None),
        "`norm` must be a layer or one of 'layer_norm', 'rms_norm'. "
        "Received: norm=None",
    ),
    "position": (
        lambda: stack(position="rotery"),
        "`position` must be a layer or one of 'none', 'sinusoidal', 'learned', "
        "'rotary', 'alibi', 'relative', 'neighbours'. Did you mean 'rotary'? "
        "Received: position='rotery'",
    ),
    "odd_sinusoidal": (
        lambda: layers.SinusoidalPositions(7),
        "Sinusoidal positions need an even `hidden_dim`. Received: hidden_dim=7",
    ),
    "odd_rotary": (
        lambda: layers.RotaryPositions(3),
        "Rotary positions need an even `head_dim`. Received: head_dim=3",
    ),
    "unknown_width": (
        lambda: layers.Projection(4).build((None, None)),
        "The last axes of the inputs must be known to build a Projection. "
        "Received: input_shape=(None, None)",
    ),
    "learned_length": (
        lambda: stack(position=layers.LearnedPositions(8, 2))(IDS),
        "This model has positions for 2 tokens; cut the texts or choose a "
        "larger `max_sequence_length`. Received: 3 tokens",
    ),
    "sinusoidal_length": (
        lambda: stack(position=layers.SinusoidalPositions(8, max_sequence_length=2))(
            IDS
        ),
        "This model has positions for 2 tokens; cut the texts or choose a larger "
        "`max_sequence_length`. Received: 3 tokens",
    ),
    "decoder_without_encoder": (
        lambda: stack(layers.TransformerDecoder)(IDS),
        "A decoder with cross-attention needs the encoder's output. "
        "Received: encoded=None",
    ),
    "decoder_with_encoder": (
        lambda: stack(layers.TransformerDecoder, cross_attention=False)(IDS, X),
        "A decoder without cross-attention takes no encoder output. "
        "Received: encoded of shape (1, 3, 8)",
    ),
    **{
        name: (
            lambda name=name: stack(**{name: 0}),
            f"`{name}` must be at least 1. Received: {name}=0",
        )
        for name in ("vocabulary_size", "num_layers", "num_heads", "hidden_dim")
    },
}


@pytest.mark.parametrize("name", CASES)
def test_message(name):
    cause, message = CASES[name]
    with pytest.raises(ValueError) as error:
        cause()
    text = str(error.value)
    if text.startswith("Exception encountered when calling"):
        # Keras wraps what `call` raises: the message stands between its own lines.
        text = text.split("\n\n")[1].removeprefix("\x1b[1m").removesuffix("\x1b[0m")
    assert text == message


def test_a_stack_without_blocks():
    with pytest.raises(TypeError, match="needs a subclass that makes the blocks"):
        stack(TransformerStack)
