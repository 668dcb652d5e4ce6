"""The bootstrap: every draw against scikit-learn, intervals against SciPy."""

import numpy as np
import pytest
from helpers.figures import scipys_interval

from kzoo.metrics import classification_metrics
from kzoo.metrics.resampling import Answers, interval, resampled


def answers(rows, classes, seed, scale=1.0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, rows)
    logits = scale * rng.normal(size=(rows, classes))
    logits[np.arange(rows), labels] += 0.5
    logits[rows // 2 :] = logits[: rows - rows // 2]  # Equal rows, for ties.
    return Answers(labels, logits)


@pytest.mark.parametrize(
    "rows, classes", [(1, 2), (3, 2), (5, 4), (40, 2), (40, 3), (200, 7)]
)
@pytest.mark.parametrize("scale", [0.0, 1.0, 8.0])
def test_every_draw_has_the_figures_of_its_rows(rows, classes, scale):
    """Few rows leave classes out of a draw, and whole draws of one class."""
    one = answers(rows, classes, rows + classes, scale)
    [found] = resampled([one], resamples=12, seed=5)
    rng = np.random.default_rng(5)
    for draw in range(12):
        drawn = rng.integers(0, rows, rows)
        metrics = classification_metrics(one.labels[drawn], one.logits[drawn])
        for name, values in found.items():
            assert values[draw] == pytest.approx(metrics[name], abs=1e-9), name
    assert set(found) == {k for k, v in metrics.items() if isinstance(v, float)}


@pytest.mark.parametrize("name", ["accuracy", "macro_f1", "loss", "roc_auc"])
def test_interval_is_scipys(name):
    one = answers(60, 3, seed=1)

    def statistic(rows):
        return classification_metrics(one.labels[rows], one.logits[rows])[name]

    expected = scipys_interval(statistic, rows=60, resamples=60, seed=9)
    [found] = resampled([one], resamples=60, seed=9)
    assert interval(found[name]) == pytest.approx(expected, abs=1e-9)


def test_models_are_measured_on_the_same_draws():
    one, other = answers(50, 3, 1), answers(50, 3, 2)
    other = Answers(one.labels, other.logits)
    both = resampled([one, other], resamples=30, seed=4)
    [alone] = resampled([other], resamples=30, seed=4)
    for name, values in alone.items():
        np.testing.assert_array_equal(both[1][name], values)
    assert not np.array_equal(both[0]["loss"], both[1]["loss"])


def test_the_seed_decides():
    one = answers(50, 3, 1)
    [first], [again], [other] = (resampled([one], 20, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first["loss"], again["loss"])
    assert not np.array_equal(first["loss"], other["loss"])


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Of 200 samples with a true accuracy of 0.7, about 95 % of intervals hold it."""
    rng = np.random.default_rng(0)
    held = 0
    for sample in range(200):
        right = rng.uniform(size=100) < 0.7
        logits = np.where(right[:, None], [1.0, 0.0], [0.0, 1.0])
        one = Answers(np.zeros(100, int), logits)
        [found] = resampled([one], resamples=100, seed=sample)
        low, high = interval(found["accuracy"])
        held += low <= 0.7 <= high
    assert 175 <= held <= 198
