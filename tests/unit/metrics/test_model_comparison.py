"""Two models on the same rows: McNemar against counting, the bootstrap against both."""

import json
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from helpers.figures import numbered, scipys_interval

from kzoo.metrics import classification_metrics
from kzoo.metrics.comparison import comparison, mcnemar


def by_counting(only_first, only_second):
    """Probability that fair coins fall at least as unevenly, as an exact fraction."""
    apart = only_first + only_second
    uneven = min(only_first, only_second)
    tail = sum(comb(apart, heads) for heads in range(uneven + 1))
    return min(Fraction(1), 2 * Fraction(tail, 2**apart))


@pytest.mark.parametrize(
    "first, second", [(0, 0), (1, 0), (0, 1), (5, 5), (2, 9), (30, 12), (400, 480)]
)
def test_mcnemar_by_counting(first, second):
    both = [True] * 7 + [False] * 4
    rights = [True] * first + [False] * second + both
    others = [False] * first + [True] * second + both
    found = mcnemar(rights, others)
    assert (found["only_first"], found["only_second"]) == (first, second)
    assert found["p_value"] == pytest.approx(float(by_counting(first, second)))


def models(rows=60, classes=3):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, classes, rows)
    logits = [
        rng.normal(size=(rows, classes)) + strength * np.eye(classes)[labels]
        for strength in (0.5, 1.5)
    ]
    return labels, logits, list("abc")[:classes]


def test_differences_agree_with_the_models_alone():
    labels, logits, names = models()
    found = comparison(numbered(60), labels, logits, names, resamples=40, seed=6)
    alone = [classification_metrics(labels, one, names) for one in logits]
    for name, one in found["metrics"].items():
        first, second = alone[0][name], alone[1][name]
        assert (one["first"], one["second"]) == (first, second)
        assert one["difference"] == second - first
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize("name", ["accuracy", "roc_auc"])
def test_interval_is_scipys_of_the_paired_difference(name):
    labels, logits, names = models()
    found = comparison(numbered(60), labels, logits, names, resamples=25, seed=6)

    def statistic(rows):
        first, second = (
            classification_metrics(labels[rows], one[rows])[name] for one in logits
        )
        return second - first

    expected = scipys_interval(statistic, rows=60, resamples=25, seed=6)
    assert found["metrics"][name]["interval"] == pytest.approx(expected, abs=1e-9)


def test_a_model_does_not_differ_from_itself():
    labels, logits, names = models()
    found = comparison(numbered(60), labels, [logits[0]] * 2, names, resamples=20)
    for one in found["metrics"].values():
        assert (one["difference"], one["interval"]) == (0.0, [0.0, 0.0])
    assert found["mcnemar"] == {"only_first": 0, "only_second": 0, "p_value": 1.0}
    assert found["only_first"] == found["only_second"] == []


def test_rows_that_changed_sides_by_hand():
    chance = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.9, 0.1]])
    other = np.array([[0.4, 0.6], [0.6, 0.4], [0.3, 0.7], [0.2, 0.8]])
    labels = [0, 0, 1, 0]
    found = comparison(
        numbered(4), labels, np.log([chance, other]), ["no", "yes"], resamples=0
    )
    # Row 4 falls from 0.9 to 0.2, row 1 from 0.9 to 0.4: the larger fall comes first.
    assert [one["row"] for one in found["only_first"]] == [4, 1]
    assert found["mcnemar"] == {"only_first": 2, "only_second": 1, "p_value": 1.0}
    [changed] = found["only_second"]
    assert changed == {
        "row": 2,
        "line": 3,
        "text": "text 1",
        "gold": "no",
        "first": {
            "predicted": "yes",
            "probability": pytest.approx(0.6),
            "gold_probability": pytest.approx(0.4),
            "loss": pytest.approx(-np.log(0.4)),
        },
        "second": {
            "predicted": "no",
            "probability": pytest.approx(0.6),
            "gold_probability": pytest.approx(0.6),
            "loss": pytest.approx(-np.log(0.6)),
        },
    }
    assert "interval" not in found["metrics"]["accuracy"]
