"""Every trainable weight learns, and compiled calls do what eager ones do."""

import keras
import numpy as np
import pytest
from helpers.layers import array, assert_close, fill
from keras import ops

from kzoo import layers
from kzoo.layers.dropout import keep_mask
from kzoo.training.steppers.gradients import gradients

B, T, S, D, V = 3, 6, 5, 8, 13
rng = np.random.default_rng(8)
IDS = rng.integers(0, V, (B, T)).astype("int32")
SEGMENTS = np.arange(T, dtype="int32")[None].repeat(B, 0) % 2
ENCODED = rng.normal(size=(B, S, D)).astype("float32")
PADDING = np.arange(T) < np.array([[6], [4], [1]])
TARGET = rng.normal(size=(B, T, D)).astype("float32")

CASES = {  # options of the stack
    "sinusoidal": {},
    "learned": {"position": "learned", "norm_placement": "post"},
    "rotary": {"position": "rotary", "norm": "rms_norm", "feed_forward": "swiglu"},
    "alibi": {"position": "alibi", "norm_placement": "sandwich"},
    "relative": {"position": "relative", "feed_forward": "geglu_tanh"},
    "grouped": {
        "attention": {"num_key_value_heads": 2, "head_dim": 6},
        "embedding": {"num_segments": 2, "norm": "layer_norm", "scale": True},
    },
}


# Likewise, for encoders alone.
ENCODERS = {
    "alternating": {
        "position": layers.AlternatingPositions(
            layers.RotaryPositions(2), layers.RelativePositions(4), 2, 1
        ),
        "norm_placement": "pre_but_first",
        "embedding": {"norm": "layer_norm", "embedding_dim": 6},
    },
    "disentangled": {
        "position": layers.PositionPair(
            layers.LearnedPositions(D),
            layers.DisentangledPositions(D, T, 4, "layer_norm", dropout=0.1),
        ),
        "attention": {"train_key_bias": True},
        "share_blocks": 2,
    },
}


@pytest.mark.parametrize("kind, training", [("encoder", False), ("decoder", True)])
@pytest.mark.parametrize("name", CASES)
def test_every_weight_has_a_gradient(name, kind, training):
    options = {"dropout": 0.2, **CASES[name]}
    arguments = {"padding_mask": PADDING, "training": training}
    if kind == "encoder":
        layer = layers.TransformerEncoder(V, 2, 4, D, 12, **options)
        arguments |= {"segment_ids": SEGMENTS} if name == "grouped" else {}
    else:
        layer = layers.TransformerDecoder(V, 2, 4, D, 12, **options)
        arguments |= {"encoded": ENCODED}
    layer.build((B, T))
    fill(layer, 1)
    found = gradients(
        layer, lambda: ops.sum(ops.multiply(layer(IDS, **arguments), TARGET))
    )
    assert found.keys() == {weight.path for weight in layer.trainable_variables}
    for path, value in found.items():
        assert np.isfinite(value).all(), path
        assert np.abs(value).max() > 1e-4, path


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", ENCODERS)
def test_every_weight_of_an_encoder_has_a_gradient(name, training):
    layer = layers.TransformerEncoder(V, 2, 4, D, 12, **ENCODERS[name])
    layer.build((B, T))
    fill(layer, 1)
    arguments = {"padding_mask": PADDING, "training": training}
    found = gradients(
        layer, lambda: ops.sum(ops.multiply(layer(IDS, **arguments), TARGET))
    )
    assert found.keys() == {weight.path for weight in layer.trainable_variables}
    for path, value in found.items():
        assert np.isfinite(value).all(), path
        assert np.abs(value).max() > 1e-4, path


def test_gradient_is_the_slope():
    """The helper and the layer agree with finite differences."""
    layer = layers.TransformerEncoder(V, 1, 2, D, 12, dropout=0.0)
    layer.build((B, T))
    fill(layer, 2)

    def loss():
        return ops.sum(ops.multiply(layer(IDS, padding_mask=PADDING), TARGET))

    found = gradients(layer, loss)
    for weight in layer.trainable_variables:
        start, slope = array(weight.value), found[weight.path]
        direction = rng.normal(size=start.shape).astype("float32")
        values = []
        for step in (1e-2, -1e-2):
            weight.assign(start + step * direction)
            values.append(float(array(loss())))
        weight.assign(start)
        expected = (slope * direction).sum()
        assert (values[0] - values[1]) / 2e-2 == pytest.approx(expected, 2e-2, 2e-2)


def compiled(function):
    """Return `function` compiled by the running backend, where it compiles."""
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow as tf

        return tf.function(function, jit_compile=True)
    if backend == "jax":
        import jax

        return jax.jit(function)
    return function


@pytest.mark.parametrize("shape", [(40,), (3, 2, 16, 5)], ids=str)
def test_compiled_masks_have_the_same_bits(shape):
    state = ops.convert_to_tensor([-77, 2**31 - 1], dtype="int32")
    eager = keep_mask(state, shape, 0.3)
    again = compiled(lambda state: keep_mask(state, shape, 0.3))(state)
    np.testing.assert_array_equal(array(eager), array(again))


@pytest.mark.parametrize(
    "position", ["sinusoidal", "rotary", "relative", "alibi", *ENCODERS]
)
def test_compiled_encoder_equals_eager(position):
    options = ENCODERS.get(position, {"position": position})
    layer = layers.TransformerEncoder(V, 2, 4, D, 12, **options)
    layer.build((B, T))
    fill(layer, 3)
    call = compiled(lambda ids, mask: layer(ids, padding_mask=mask))
    ids, mask = ops.convert_to_tensor(IDS), ops.convert_to_tensor(PADDING)
    assert_close(call(ids, mask), array(layer(IDS, padding_mask=PADDING)), atol=3e-6)


def test_functional_models_of_unknown_lengths():
    """An encoder-decoder made of `keras.Input`, for texts of any length."""
    source = keras.Input((None,), dtype="int32")
    source_mask = keras.Input((None,), dtype="bool")
    target = keras.Input((None,), dtype="int32")
    encoder = layers.TransformerEncoder(V, 1, 4, D, 12, position="relative")
    decoder = layers.TransformerDecoder(V, 1, 4, D, 12, position="rotary")
    encoded = encoder(source, padding_mask=source_mask)
    assert encoded.shape == (None, None, D)
    hidden = decoder(target, encoded=encoded, encoded_padding_mask=source_mask)
    assert hidden.shape == (None, None, D)
    model = keras.Model([source, source_mask, target], hidden)
    for length in (T, T - 2):
        ids = IDS[:, :length]
        arguments = [IDS, PADDING, ids]
        direct = decoder(ids, encoder(IDS, PADDING), encoded_padding_mask=PADDING)
        assert_close(model(arguments), array(direct))
        expected = array(direct)
        predicted = model.predict(arguments, verbose=0)
        np.testing.assert_allclose(predicted, expected, rtol=1e-5, atol=3e-6)


def test_a_users_own_fit_learns():
    ids = keras.Input((None,), dtype="int32")
    encoder = layers.TransformerEncoder(V, 1, 2, D, 12, dropout=0.1)
    scores = keras.layers.Dense(V)(encoder(ids))
    model = keras.Model(ids, scores)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.02), loss)
    targets = rng.integers(0, V, (64, T)).astype("int32")
    history = model.fit(targets, targets, batch_size=16, epochs=10, verbose=0)
    losses = history.history["loss"]
    assert losses[-1] < 0.5 * losses[0]
    counters = {int(array(v)[1]) for v in encoder.weights if v.name == "state"}
    assert counters == {40}  # four batches in each of ten epochs
