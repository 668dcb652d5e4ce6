"""Seq2Seq models in training: the loss, and one update in several parts."""

import keras
import numpy as np
import pytest

from kzoo import Seq2Seq, layers
from kzoo.data.batches.pairs import PairedBatches, Pairs
from kzoo.training.losses import make_loss
from kzoo.training.optimizer import AdamW
from kzoo.training.steppers import make_stepper

V, ROWS = 30, 12
LOSSES = {False: "cross_entropy", True: "copy"}


def writer(copy):
    layers.set_seed(5)
    size = (V, 1, 2, 8, 8, 0.0)
    return Seq2Seq(
        layers.TransformerEncoder(*size, name="encoder"),
        layers.TransformerDecoder(*size, name="decoder"),
        start_id=2,
        end_id=3,
        copy=copy,
        source_length=9,
        target_length=6,
        name="writer",
    )


def batches(accumulation=1):
    """Targets of 1 to 6 tokens, most of them of the source."""
    rng = np.random.default_rng(0)
    sources = [rng.integers(4, V, size, "int32") for size in rng.integers(3, 10, ROWS)]
    lengths = [1, 6, *rng.integers(1, 7, ROWS - 2)]
    targets = [
        np.append(rng.choice(source, length - 1), 3).astype("int32")
        for source, length in zip(sources, lengths, strict=True)
    ]
    targets[0][:], targets[1][0] = 3, V - 1
    pairs = Pairs(sources, targets, ([9], [6]), pad_id=0, start_id=2)
    return PairedBatches(pairs, ROWS, seed=0, accumulation=accumulation)


def trained(copy, accumulation=1):
    """A stepper after two steps, and their losses."""
    loss = make_loss(LOSSES[copy], label_smoothing=0.1)
    stepper = make_stepper(writer(copy), loss, AdamW(clip_norm=0.5))
    updates = batches(accumulation)
    return stepper, [float(stepper.train(updates.at(step), 1e-3)) for step in (0, 1)]


def test_four_parts_of_uneven_targets_equal_one_batch():
    (whole, expected), (parted, losses) = trained(True), trained(True, 4)
    np.testing.assert_allclose(losses, expected, rtol=1e-6)
    before, after = whole.state(), parted.state()
    assert after.keys() == before.keys()
    for name, value in before.items():
        np.testing.assert_allclose(after[name], value, atol=1e-6, rtol=0, err_msg=name)


def test_the_loss_of_a_step_is_the_mean_over_target_tokens():
    stepper = make_stepper(writer(False), make_loss("cross_entropy"), AdamW())
    batch = batches().at(0)
    logits = stepper.predict(batch.inputs).astype("float64")
    logits -= np.log(np.exp(logits).sum(-1, keepdims=True))
    chosen = np.take_along_axis(logits, batch.labels[..., None], -1)[..., 0]
    mask = batch.inputs["decoder_padding_mask"]
    found = float(stepper.train(batch, 0.0))
    assert found == pytest.approx(-chosen[mask].mean(), rel=1e-5)


def test_mixed_bfloat16_scores_in_float32():
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        model = writer(True)
    finally:
        keras.config.set_dtype_policy("float32")
    assert model.decoder.compute_dtype == "bfloat16"
    kinds = {name: output.dtype for name, output in model.output.items()}
    assert kinds.pop("source") == "int32" and set(kinds.values()) == {"float32"}
    stepper = make_stepper(model, make_loss("copy"), AdamW())
    losses = [float(stepper.train(batches().at(0), 1e-2)) for _ in range(3)]
    assert np.isfinite(losses).all() and losses[-1] < losses[0]
