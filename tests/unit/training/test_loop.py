"""The loop: what it records, evaluates and saves, and which weights were best."""

import numpy as np
import pytest
from helpers.loops import accuracies, run_loop
from helpers.toys import once
from kzoo_recipes import KzooError

from kzoo.training.checkpoint import load
from kzoo.training.plan import Plan


def test_the_checkpoint_of_the_best_step_holds_its_weights(small, tmp_path):
    reference = small.stepper()
    for step in range(4):
        reference.train(small.batches.at(step), 1e-2)
    standing, _ = run_loop(small, tmp_path, Plan(6, 2), accuracies(0.5, 0.9, 0.7))
    assert (standing.best.step, standing.best.metrics["accuracy"]) == (4, 0.9)
    actual, _ = load(tmp_path / "checkpoints" / "step-00000004")
    for name, expected in reference.state().items():
        np.testing.assert_array_equal(actual[name], expected, err_msg=name)


@once
def test_of_equals_the_first_is_best(small, tmp_path):
    standing, _ = run_loop(small, tmp_path, Plan(3, 1), accuracies(0.5, 0.8, 0.8))
    assert standing.best.step == 2


@once
@pytest.mark.parametrize("name", ["loss", "calibration_error"])
def test_what_is_an_error_is_minimised(small, tmp_path, name):
    metrics = [{"loss": 1.0, name: value} for value in (0.9, 0.2, 0.4)]
    standing, _ = run_loop(small, tmp_path, Plan(3, 1, name), metrics)
    assert standing.best.step == 2


@once
def test_the_last_step_is_evaluated_too(small, tmp_path):
    _, records = run_loop(small, tmp_path, Plan(5, 2), accuracies(0.1, 0.2, 0.3))
    assert [r["step"] for r in records.of("dev")] == [2, 4, 5]
    assert [r["best"] for r in records.of("dev")] == [True, True, True]


@once
def test_history_has_a_record_every_ten_steps_and_at_evaluations(small, tmp_path):
    metrics = accuracies(0.1, float("nan"), 1)
    standing, records = run_loop(small, tmp_path, Plan(25, 12), metrics)
    train = records.of("train")
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
    assert standing.best.step == 25  # What is no number is never best again.


@once
def test_records_as_often_as_asked(small, tmp_path):
    _, records = run_loop(small, tmp_path, Plan(7, 7, log_every=3), accuracies(0.1))
    assert [r["step"] for r in records.of("train")] == [3, 6, 7]


@once
def test_history_losses_are_the_steps_losses(small, tmp_path):
    reference = small.stepper()
    losses = [float(reference.train(small.batches.at(s), 1e-2)) for s in range(10)]
    standing, records = run_loop(small, tmp_path, Plan(10, 10), accuracies(0.1))
    assert records[0]["loss"] == pytest.approx(np.mean(losses), rel=1e-6)
    assert standing.window.examples == 60
    assert standing.window.seconds > 0


@once
def test_a_loss_that_is_not_finite_names_step_and_rate(small, tmp_path):
    class Spoilt(type(small.batches)):
        def at(self, step):
            batch = super().at(step)
            if step == 3:
                batch.weights = batch.weights * np.float32("nan")
            return batch

    small.batches = Spoilt()
    with pytest.raises(KzooError, match=r"nan in step 4, at the learning rate 0\.25"):
        run_loop(small, tmp_path, Plan(8, 8), [], rate=0.25)


def steps_on_disk(folder):
    names = sorted(p.name for p in (folder / "checkpoints").iterdir())
    return [int(name.removeprefix("step-")) for name in names]


@once
def test_the_newest_two_checkpoints_stay_and_the_best(small, tmp_path):
    run_loop(small, tmp_path, Plan(10, 2), accuracies(0.1, 0.9, 0.5, 0.6, 0.7))
    assert steps_on_disk(tmp_path) == [4, 8, 10]


@once
def test_checkpoints_between_evaluations(small, tmp_path):
    plan = Plan(9, 4, checkpoint_every=3)
    run_loop(small, tmp_path, plan, accuracies(0.9, 0.1, 0.2))
    assert steps_on_disk(tmp_path) == [4, 6, 9]  # Not 8, which was not the best.
