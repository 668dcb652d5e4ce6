"""Parts that are not trained: by name, with nothing kept for them."""

import keras
import numpy as np
import pytest
from keras import ops
from kzoo_recipes import KzooError

from kzoo import layers
from kzoo.models import TextClassifier
from kzoo.models.sizes import count_parameters
from kzoo.training.averaging import Average
from kzoo.training.freezing import freeze, sentence


def classifier():
    encoder = layers.TransformerEncoder(30, 2, 2, 8, 8, name="encoder")
    return TextClassifier(encoder, 3, name="text_classifier")


@pytest.mark.parametrize(
    "name, frozen",
    [
        ("encoder.embedding", ["encoder/embedding/embeddings"]),
        ("logits", ["logits/kernel", "logits/bias"]),
        ("logits.bias", ["logits/bias"]),
        ("*.final_norm", ["encoder/final_norm/gamma", "encoder/final_norm/beta"]),
    ],
)
def test_names_a_part_and_all_below_it(name, frozen):
    model = classifier()
    before = len(model.trainable_variables)
    assert freeze(model, [name]) == frozen
    assert len(model.trainable_variables) == before - len(frozen)
    left = {v.path for v in model.trainable_variables}
    assert not left & set(frozen)


def test_patterns_stay_within_one_name():
    model = classifier()
    frozen = freeze(model, ["encoder.block_*", "encoder.block_0"])
    assert {path.split("/")[1] for path in frozen} == {"block_0", "block_1"}
    with pytest.raises(KzooError, match='no part "enc\\*kernel"'):
        freeze(classifier(), ["enc*kernel"])


def test_an_unknown_name_is_refused_with_the_parts_there_are():
    with pytest.raises(KzooError) as error:
        freeze(classifier(), ["encoder.embeding"])
    assert str(error.value) == (
        '[training] freeze: the model has no part "encoder.embeding"; did you mean '
        '"encoder.embedding"? There are encoder.embedding, encoder.block_0, '
        "encoder.block_1, encoder.final_norm, head, logits, and their own parts."
    )


def test_freezing_everything_is_refused_and_freezes_nothing():
    model = classifier()
    before = len(model.trainable_variables)
    with pytest.raises(KzooError, match="leaves no weight to train"):
        freeze(model, ["encoder", "head", "logits"])
    assert len(model.trainable_variables) == before


def test_nothing_named_freezes_nothing():
    model = classifier()
    before = len(model.trainable_variables)
    assert freeze(model, []) == []
    assert len(model.trainable_variables) == before


def test_says_how_much_is_trained(small):
    model = small.model()
    assert count_parameters(model.trainable_variables) == 20 * 8 + 8 * 8 + 8 + 8 * 3 + 3
    freeze(model, ["tokens"])
    assert count_parameters(model.trainable_variables) == 99
    assert sentence(model, ["tokens"], 99) == (
        "frozen: tokens; 99 of 259 parameters are trained"
    )


def test_frozen_weights_keep_their_bits_and_have_no_slots(small):
    model = small.model()
    freeze(model, ["tokens", "inner.bias"])
    stepper = small.stepper(model, weight_decay=0.5, average=Average(0.9))
    before = stepper.state()
    for step in range(4):
        stepper.train(small.batch(step), 1e-2)
    after = stepper.state()
    frozen = ("tokens/embeddings", "inner/bias")
    for name in frozen:
        np.testing.assert_array_equal(after[name], before[name])
    assert not np.array_equal(after["inner/kernel"], before["inner/kernel"])
    slots = {n for n in after if n.startswith(("optimizer/", "ema/"))}
    assert not [n for n in slots if n.endswith(frozen)]
    assert "optimizer/first_moment/inner/kernel" in slots


def test_the_rest_moves_as_it_would_with_zero_gradients_there(small):
    """Without clipping, each weight moves on its own: frozen or not, equal."""
    model = small.model()
    freeze(model, ["logits"])
    frozen, free = small.stepper(model, clip_norm=None), small.stepper(clip_norm=None)
    for stepper in (frozen, free):
        stepper.train(small.batch(), 1e-2)
    expected, actual = free.state(), frozen.state()
    for name in ("tokens/embeddings", "inner/kernel", "inner/bias"):
        np.testing.assert_allclose(actual[name], expected[name], rtol=1e-5, atol=1e-6)


def test_the_norm_that_clips_leaves_frozen_gradients_out(small):
    model = small.model()
    freeze(model, ["tokens", "inner"])
    stepper = small.stepper(model, clip_norm=1e-3)
    stepper.train(small.batch(), 1e-2)
    state = stepper.state()
    slots = [v for n, v in state.items() if n.startswith("optimizer/first_moment")]
    norm = 10 * np.sqrt(sum((v**2).sum() for v in slots))
    assert norm == pytest.approx(1e-3, rel=1e-3)


def test_resumes_saves_and_predicts(small, tmp_path):
    model = small.model()
    freeze(model, ["tokens"])
    straight = small.stepper(model)
    for step in range(4):
        straight.train(small.batch(step), 1e-2)
    other = small.model()
    freeze(other, ["tokens"])
    resumed = small.stepper(other)
    resumed.load_state(straight.state())
    for stepper in (straight, resumed):
        stepper.train(small.batch(9), 1e-2)
        stepper.sync()
    inputs = small.batch().inputs
    np.testing.assert_array_equal(resumed.predict(inputs), straight.predict(inputs))
    by_model = ops.convert_to_numpy(other(inputs, training=False))
    np.testing.assert_allclose(by_model, straight.predict(inputs), rtol=1e-5, atol=1e-6)


def test_bfloat16_and_parts_with_a_frozen_embedding(small):
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        model = small.model()
    finally:
        keras.config.set_dtype_policy("float32")
    freeze(model, ["tokens"])
    stepper = small.stepper(model)
    losses = [float(stepper.train(small.batch(), 3e-2)) for _ in range(40)]
    assert losses[-1] < 0.5 * losses[0]
