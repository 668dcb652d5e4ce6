"""When to look, what is better and when to stop."""

import pytest
from helpers.loops import accuracies, run_loop
from kzoo_recipes import ClassifierTraining

from kzoo.training.plan import Best, Plan, plan_of


@pytest.mark.parametrize(
    "keys, expected",
    [
        ({}, [10, 20, 25]),
        ({"evaluate_every": 7}, [7, 14, 21, 25]),
        ({"evaluate_every_epochs": 0.5}, [5, 10, 15, 20, 25]),
        ({"evaluate_every_epochs": 0.25}, [3, 5, 8, 10, 13, 15, 18, 20, 23, 25]),
        ({"evaluate_every_epochs": 2.0}, [20, 25]),
        ({"evaluate_every_epochs": 0.01}, list(range(1, 26))),
    ],
)
def test_evaluations(keys, expected):
    plan = plan_of(ClassifierTraining(**keys), 25, 10)
    assert [step for step in range(1, 26) if plan.evaluates(step)] == expected


def test_a_tenth_of_an_epoch_is_not_rounded():
    plan = plan_of(ClassifierTraining(evaluate_every_epochs=0.1), 300, 30)
    assert sum(map(plan.evaluates, range(1, 301))) == 100
    assert plan.evaluates(3) and plan.evaluates(9) and not plan.evaluates(10)


@pytest.mark.parametrize(
    "metric, direction, better",
    [
        ("accuracy", None, 0.9),
        ("accuracy", "min", 0.1),
        ("loss", None, 0.1),
        ("loss", "max", 0.9),
    ],
)
def test_direction(metric, direction, better):
    plan = Plan(10, 1, metric, direction)
    worse = 1.0 - better
    metrics = {"accuracy": better, "loss": better}
    best = Best(1, {"accuracy": worse, "loss": worse})
    assert plan.improves(metrics, best)
    assert not plan.improves(best.metrics, Best(2, metrics))


@pytest.mark.parametrize("bad", [float("nan"), None])  # None is what JSON made of it.
def test_what_is_no_number_is_worst(bad):
    plan = Plan(10, 1)
    nothing = Best(1, {"accuracy": bad, "loss": 1.0})
    assert plan.improves({"accuracy": 0.0, "loss": 9.0}, nothing)
    assert not plan.gains(plan.value({"accuracy": bad}), None)


def test_patience_ends_the_training(small, tmp_path):
    plan = Plan(20, 2, patience=2)
    values = accuracies(0.5, 0.7, 0.7, 0.6, 0.9)
    standing, records = run_loop(small, tmp_path, plan, values)
    assert (standing.step, standing.stopped, standing.best.step) == (8, "patience", 4)
    assert len(records.of("dev")) == 4


def test_gains_below_min_delta_do_not_count_but_add_up(small, tmp_path):
    values = accuracies(0.50, 0.54, 0.58, 0.62, 0.66, 0.7)
    # Gains on 0.50: .04 is none, .08 is; on 0.58: .04 is none, .08 is.
    standing, _ = run_loop(
        small, tmp_path, Plan(6, 1, patience=2, min_delta=0.05), values
    )
    assert standing.stopped is None
    plan = Plan(6, 1, patience=2, min_delta=0.09)
    standing, _ = run_loop(small, tmp_path, plan, values)
    assert (standing.step, standing.stopped) == (3, "patience")
    assert standing.best.step == 3  # The best weights are kept all the same.


def test_patience_at_the_last_step_is_no_early_stop(small, tmp_path):
    values = accuracies(0.5, 0.4, 0.3)
    standing, _ = run_loop(small, tmp_path, Plan(3, 1, patience=2), values)
    assert (standing.step, standing.stopped) == (3, None)
