"""One update in several parts, against the same update in one."""

import itertools
import types

import keras
import numpy as np
import pytest
from keras import ops

from kzoo import layers
from kzoo.data.batches import MicroBatches, TrainingBatches
from kzoo.models import TextClassifier
from kzoo.training.averaging import Average
from kzoo.training.losses import make_loss
from kzoo.training.optimizer import AdamW
from kzoo.training.steppers import make_stepper

OPTIMIZER = {"clip_norm": 0.5, "weight_decay": 0.1}


def classifier():
    layers.set_seed(5)
    encoder = layers.TransformerEncoder(40, 1, 2, 16, 16, dropout=0.0, name="encoder")
    return TextClassifier(encoder, 3, dropout=0.0, name="text_classifier")


def batches(accumulation):
    """Texts of 1 to 20 tokens; the last batch of an epoch is not full."""
    rng = np.random.default_rng(0)
    texts = [rng.integers(1, 40, size, "int32") for size in rng.integers(1, 21, 44)]
    labels = rng.integers(0, 3, 44)
    return TrainingBatches(texts, labels, 16, [8, 20], 0, 3, accumulation=accumulation)


def trained(accumulation, steps=9):
    loss, optimizer = make_loss("cross_entropy"), AdamW(**OPTIMIZER)
    stepper = make_stepper(classifier(), loss, optimizer, Average(0.9))
    updates = batches(accumulation)
    losses = [float(stepper.train(updates.at(step), 1e-3)) for step in range(steps)]
    return losses, stepper


def test_four_parts_of_uneven_lengths_equal_one_batch():
    """Clipping, decay, moments and the moving average: all of it, within 1e-6."""
    whole_losses, whole = trained(1)
    losses, parted = trained(4)
    np.testing.assert_allclose(losses, whole_losses, rtol=1e-6)
    expected, actual = whole.state(), parted.state()
    assert actual.keys() == expected.keys()
    assert any(name.startswith("ema/") for name in expected)
    for name, value in expected.items():
        np.testing.assert_allclose(actual[name], value, atol=1e-6, rtol=0, err_msg=name)
    # One program per length, one for the update.
    compiled = keras.backend.backend() != "torch"
    assert parted.compilations == (2 + 1 if compiled else 0)


def parts_of(batch, cuts):
    """A batch of the small model cut into parts that keep their weights."""
    pieces = [slice(a, b) for a, b in itertools.pairwise(cuts)]
    return [
        types.SimpleNamespace(
            inputs={name: value[piece] for name, value in batch.inputs.items()},
            labels=batch.labels[piece],
            weights=batch.weights[piece],
        )
        for piece in pieces
    ]


def test_mixed_bfloat16_sums_gradients_in_float32(small):
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        models = small.model(), small.model()
    finally:
        keras.config.set_dtype_policy("float32")
    whole, parted = (small.stepper(model, Average(0.9)) for model in models)
    for step in range(4):
        batch = small.batch(step)
        whole.train(batch, 1e-3)
        parts = parts_of(batch, [0, 2, 6])
        parted.train(types.SimpleNamespace(parts=parts), 1e-3)
    expected, actual = whole.state(), parted.state()
    for name in expected:
        assert actual[name].dtype == expected[name].dtype
        if "counter" not in name:
            np.testing.assert_allclose(actual[name], expected[name], atol=1e-2)
    assert actual["ema/inner/kernel"].dtype == "float32"


def test_counters_advance_and_resume_by_parts(small):
    """Dropout draws anew for every part, so its counter follows them."""

    def trained(stepper, steps):
        for step in steps:
            parts = parts_of(small.batch(step), [0, 3, 6])
            stepper.train(types.SimpleNamespace(parts=parts), 1e-2)
        return stepper.state()

    straight = trained(small.stepper(), range(6))
    first = trained(small.stepper(), range(3))
    assert first["counter/calls"].tolist() == [6, 6]
    second = small.stepper()
    trained(second, range(7, 8))  # Its sums of gradients are in use already.
    second.load_state(first)
    actual = trained(second, range(3, 6))
    for name in straight:
        np.testing.assert_array_equal(actual[name], straight[name], err_msg=name)


def test_equals_a_plain_torch_loop(small):
    """Parts of unequal weights, clip, decay and AveragedModel, by torch alone."""
    torch = pytest.importorskip("torch", reason="the reference is plain PyTorch")
    swa = torch.optim.swa_utils
    model = small.model()
    stepper = small.stepper(model, average=Average(0.6), **OPTIMIZER)

    network = torch.nn.ModuleDict(
        {
            "tokens": torch.nn.Embedding(20, 8),
            "inner": torch.nn.Linear(8, 8),
            "logits": torch.nn.Linear(8, 3),
        }
    )
    with torch.no_grad():
        for name, module in network.items():
            values = [ops.convert_to_numpy(w) for w in model.get_layer(name).weights]
            module.weight.copy_(
                torch.tensor(values[0] if name == "tokens" else values[0].T)
            )
            if len(values) > 1:
                module.bias.copy_(torch.tensor(values[1]))
    plain = [p for name, p in network.named_parameters() if name.endswith("bias")]
    decayed = [p for name, p in network.named_parameters() if name.endswith("weight")]
    optimizer = torch.optim.AdamW(
        [
            {"params": decayed, "weight_decay": OPTIMIZER["weight_decay"]},
            {"params": plain, "weight_decay": 0.0},
        ],
        lr=1e-2,
    )
    averaged = swa.AveragedModel(network)
    averaged.update_parameters(network)  # The first one copies the initial weights.

    for step in range(1, 13):
        batch = small.batch(step)
        batch.weights = np.array([0.3, 0.1, 0.2, 0.1, 0.3, 0.0], "float32")
        parts = parts_of(batch, [0, 1, 3, 6])
        stepper.train(types.SimpleNamespace(parts=parts), 1e-2)

        optimizer.zero_grad()
        for part in parts:
            ids = torch.tensor(part.inputs["token_ids"]).long()
            mask = torch.tensor(part.inputs["padding_mask"])[..., None]
            pooled = (network["tokens"](ids) * mask).sum(1)
            logits = network["logits"](torch.tanh(network["inner"](pooled)))
            losses = torch.nn.functional.cross_entropy(
                logits, torch.tensor(part.labels).long(), reduction="none"
            )
            (losses * torch.tensor(part.weights)).sum().backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), OPTIMIZER["clip_norm"])
        optimizer.step()
        decay = min(0.6, (1 + step) / (10 + step))
        averaged.multi_avg_fn = swa.get_ema_multi_avg_fn(decay)
        averaged.update_parameters(network)

    state = stepper.state()
    for prefix, reference in (("", network), ("ema/", averaged.module)):
        for name, layer in reference.items():
            kernel = layer.weight.detach().numpy()
            if name == "tokens":
                actual = state[f"{prefix}tokens/embeddings"]
            else:
                actual, kernel = state[f"{prefix}{name}/kernel"], kernel.T
                np.testing.assert_allclose(
                    state[f"{prefix}{name}/bias"],
                    layer.bias.detach().numpy(),
                    rtol=1e-5,
                    atol=2e-6,
                )
            np.testing.assert_allclose(actual, kernel, rtol=1e-5, atol=2e-6)


def test_a_plain_mean_of_parts_would_not_be_equal(small):
    """What the rule is for: a mean per part weighs the rows of short parts more."""
    batch = small.batch()
    right, wrong = small.stepper(), small.stepper()
    parts = parts_of(batch, [0, 1, 6])
    right.train(types.SimpleNamespace(parts=parts), 1e-2)
    for part in parts:
        part.weights = np.full(len(part.labels), 0.5 / len(part.labels), "float32")
    wrong.train(types.SimpleNamespace(parts=parts), 1e-2)
    whole = small.stepper()
    whole.train(batch, 1e-2)
    first = "optimizer/first_moment/logits/bias"
    expected = whole.state()[first]
    np.testing.assert_allclose(right.state()[first], expected, atol=1e-7)
    assert np.abs(wrong.state()[first] - expected).max() > 1e-3


def test_micro_batches_are_the_batch():
    whole, split = batches(1), batches(4)
    assert len(whole) == len(split)
    for step in range(2 * len(whole)):
        one, parts = whole.at(step), split.at(step)
        assert isinstance(parts, MicroBatches)
        np.testing.assert_array_equal(parts.rows, one.rows)
        assert parts.examples == one.examples
        assert all(part.labels.shape == (4,) for part in parts.parts)
        weights = np.concatenate([part.weights for part in parts.parts])
        assert weights.sum() == pytest.approx(1)
        np.testing.assert_array_equal(
            weights[: len(one.rows)], one.weights[: len(one.rows)]
        )
        lengths = [part.inputs["token_ids"].shape[1] for part in parts.parts]
        assert lengths == sorted(lengths)
        assert lengths[-1] == one.inputs["token_ids"].shape[1]
        tokens = sum(
            part.inputs["padding_mask"][: part.examples].sum() for part in parts.parts
        )
        cells = sum(part.inputs["token_ids"].size for part in parts.parts)
        assert parts.padding_share == pytest.approx(1 - tokens / cells)
    assert len({len(split.at(step).parts) for step in range(len(split))}) == 2


def test_parts_that_do_not_fit_the_batch_are_refused():
    with pytest.raises(ValueError, match="accumulation=5, batch_size=16"):
        batches(5)
