"""Taggers in training: steps over labelled pieces, in kzoo's loop and in Keras' own."""

import keras
import numpy as np
import pytest

from kzoo import TokenTagger, layers
from kzoo.data.batches import TrainingBatches
from kzoo.models.token_tagger import HEADS
from kzoo.text import chains
from kzoo.training.losses import make_loss
from kzoo.training.optimizer import AdamW
from kzoo.training.steppers import make_stepper

ROWS, LENGTH, CLASSES = 12, 8, 3
LOSSES = {"linear": "cross_entropy", "crf": "crf"}


def tagger(head):
    layers.set_seed(5)
    encoder = layers.TransformerEncoder(40, 1, 2, 8, 8, dropout=0.0, name="encoder")
    return TokenTagger(
        encoder, CLASSES, head, dropout=0.0, sequence_length=LENGTH, name="tagger"
    )


def rows():
    """Ids, weights of 0 for about half the pieces, and labels that BIO allows."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(3, LENGTH + 1, ROWS)
    ids = [rng.integers(1, 40, size, "int32") for size in sizes]
    weights = [(rng.random(size) < 0.5).astype("float32") for size in sizes]
    weights[0][:] = 1.0
    weights[1][:] = [1.0] + [0.0] * (sizes[1] - 1)
    places = [row + np.cumsum(of_row) for row, of_row in enumerate(weights)]
    labels = [np.array([0, 1, 2, 2, 1])[p.astype(int) % 5] for p in places]
    return ids, labels, weights


def batches(accumulation=1):
    ids, labels, weights = rows()
    return TrainingBatches(
        ids, labels, ROWS, [LENGTH], 0, 3, weights, accumulation=accumulation
    )


def trained(head, accumulation=1):
    """A stepper after two steps, and their losses."""
    stepper = make_stepper(tagger(head), make_loss(LOSSES[head]), AdamW(clip_norm=0.5))
    updates = batches(accumulation)
    return stepper, [float(stepper.train(updates.at(step), 1e-3)) for step in (0, 1)]


@pytest.fixture(scope="module", params=HEADS)
def whole(request):
    """A head; its stepper, losses and state."""
    stepper, losses = trained(request.param)
    return request.param, stepper, losses, stepper.state()


@pytest.mark.parametrize("whole", ["crf"], indirect=True)
def test_four_parts_of_uneven_labels_equal_one_batch(whole):
    head, _, whole_losses, expected = whole
    parted, losses = trained(head, 4)
    np.testing.assert_allclose(losses, whole_losses, rtol=1e-6)
    actual = parted.state()
    assert actual.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(actual[name], value, atol=1e-6, rtol=0, err_msg=name)


def test_the_loss_is_the_mean_over_labelled_pieces(whole):
    head, stepper, *_ = whole
    batch = batches().at(0)
    outputs = stepper.predict(batch.inputs)
    found = float(stepper.train(batch, 0.0))
    mask = batch.weights > 0
    if head == "linear":
        assert outputs.dtype == "float32"
        logits = outputs.astype("float64")[mask]
        logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
        expected = -logits[np.arange(len(logits)), batch.labels[mask]].mean()
    else:
        assert outputs["logits"].shape == (ROWS, LENGTH, CLASSES)
        assert outputs["transitions"].shape == (ROWS, CLASSES + 2, CLASSES)
        # A window may begin inside an entity, and then `I` may begin.
        expected = -sum(
            chains.log_likelihoods(
                [logits[counts]],
                [labels[counts]],
                opened(transitions, labels[counts]),
            ).sum()
            for logits, transitions, labels, counts in zip(
                outputs["logits"],
                outputs["transitions"],
                batch.labels,
                mask,
                strict=True,
            )
        )
        expected /= mask.sum()
    assert found == pytest.approx(expected, rel=1e-5)


def opened(transitions, labels):
    transitions = transitions.copy()
    if len(labels) and labels[0] == 2:
        transitions[0, 2] = 0.0
    return transitions


def test_keras_own_fit_trains_it(whole):
    """With Keras' loss for a linear head; a CRF brings its own."""
    head, _, losses, _ = whole
    model, batch, loss = tagger(head), batches().at(0), None
    if head == "linear":
        loss = keras.losses.SparseCategoricalCrossentropy(True, reduction="sum")
    model.compile(keras.optimizers.Adam(1e-2), loss)
    history = model.fit(
        batch.inputs,
        batch.labels,
        sample_weight=batch.weights,
        batch_size=ROWS,
        epochs=8,
        shuffle=False,
        verbose=0,
    )
    found = history.history["loss"]
    assert found[0] == pytest.approx(losses[0], rel=1e-5)
    assert found[-1] < 0.9 * found[0]


def test_without_weights_a_crf_counts_all_that_is_no_padding():
    model, batch = tagger("crf"), batches().at(0)
    model.compile()
    mask = batch.inputs["padding_mask"]
    labels = np.where(mask, 1, 0)  # B throughout
    found = model.evaluate(batch.inputs, labels, batch_size=ROWS, verbose=0)
    outputs = model.predict_on_batch(batch.inputs)
    likelihoods = chains.log_likelihoods(
        [rows[counts] for rows, counts in zip(outputs["logits"], mask, strict=True)],
        [row[counts] for row, counts in zip(labels, mask, strict=True)],
        outputs["transitions"][0],
    )
    assert found == pytest.approx(-likelihoods.sum() / mask.sum(), rel=1e-5)


def test_mixed_bfloat16_leaves_chains_in_float32():
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        model = tagger("crf")
    finally:
        keras.config.set_dtype_policy("float32")
    assert model.encoder.compute_dtype == "bfloat16"
    assert {output.dtype for output in model.output.values()} == {"float32"}
    assert model.get_layer("crf").transitions.dtype == "float32"
