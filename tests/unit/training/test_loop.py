import json

import numpy as np
import pytest
from keras import ops
from kzoo_recipes import KzooError

from kzoo.training.history import History
from kzoo.training.loop import Plan, fit
from kzoo.training.progress import Silent


def run(small, folder, stepper, plan, metrics, rate=1e-2):
    """`fit` with dev metrics from a list, one entry per evaluation."""
    metrics = iter(metrics)
    with History(folder / "history.jsonl") as history:
        best = fit(
            stepper,
            small.batches,
            lambda step: rate,
            lambda: next(metrics),
            plan,
            folder / "checkpoints",
            history,
            Silent(),
        )
    lines = (folder / "history.jsonl").read_text().splitlines()
    return best, [json.loads(line) for line in lines]


def accuracies(*values):
    return [{"accuracy": value, "loss": 1.0} for value in values]


def test_the_best_weights_end_in_the_model(small, tmp_path):
    reference = small.stepper()
    for step in range(4):
        reference.train(small.batches.at(step), 1e-2)
    stepper = small.stepper()
    best, _ = run(small, tmp_path, stepper, Plan(6, 2), accuracies(0.5, 0.9, 0.7))
    assert (best.step, best.metrics["accuracy"]) == (4, 0.9)
    assert best.examples_per_second > 0
    expected, actual = reference.state(), stepper.state()
    for name in expected:
        np.testing.assert_array_equal(actual[name], expected[name], err_msg=name)
    kernel = ops.convert_to_numpy(stepper.model.get_layer("inner").kernel)
    np.testing.assert_array_equal(kernel, expected["inner/kernel"])


def test_of_equals_the_first_is_best(small, tmp_path):
    best, _ = run(
        small, tmp_path, small.stepper(), Plan(3, 1), accuracies(0.5, 0.8, 0.8)
    )
    assert best.step == 2


@pytest.mark.parametrize("name", ["loss", "calibration_error"])
def test_what_is_an_error_is_minimised(small, tmp_path, name):
    metrics = [{"loss": 1.0, name: value} for value in (0.9, 0.2, 0.4)]
    best, _ = run(small, tmp_path, small.stepper(), Plan(3, 1, name), metrics)
    assert best.step == 2


def test_the_last_step_is_evaluated_too(small, tmp_path):
    _, records = run(
        small, tmp_path, small.stepper(), Plan(5, 2), accuracies(0.1, 0.2, 0.3)
    )
    dev = [r for r in records if r["split"] == "dev"]
    assert [r["step"] for r in dev] == [2, 4, 5]
    assert [r["best"] for r in dev] == [True, True, True]


def test_history_has_a_record_every_ten_steps_and_at_evaluations(small, tmp_path):
    _, records = run(
        small, tmp_path, small.stepper(), Plan(25, 12), accuracies(0.1, float("nan"), 1)
    )
    train = [r for r in records if r["split"] == "train"]
    assert [r["step"] for r in train] == [10, 12, 20, 24, 25]
    assert train[0]["epoch"] == 5.0
    assert set(train[0]) == {
        "split",
        "epoch",
        "step",
        "loss",
        "learning_rate",
        "examples_per_second",
        "padding_share",
    }
    dev = [r for r in records if r["split"] == "dev"]
    assert dev[1]["accuracy"] is None  # JSON has no NaN.


def test_history_losses_are_the_steps_losses(small, tmp_path):
    reference = small.stepper()
    losses = [float(reference.train(small.batches.at(s), 1e-2)) for s in range(10)]
    _, records = run(small, tmp_path, small.stepper(), Plan(10, 10), accuracies(0.1))
    assert records[0]["loss"] == pytest.approx(np.mean(losses), rel=1e-6)


def test_a_loss_that_is_not_finite_names_step_and_rate(small, tmp_path):
    class Spoilt(type(small.batches)):
        def at(self, step):
            batch = super().at(step)
            if step == 3:
                batch.weights = batch.weights * np.float32("nan")
            return batch

    small.batches = Spoilt()
    with pytest.raises(KzooError, match=r"nan in step 4, at the learning rate 0\.25"):
        run(small, tmp_path, small.stepper(), Plan(8, 8), [], rate=0.25)
