"""The report on any number of labels: what it lists, and how sure its figures are."""

import json

import numpy as np
import pytest

from kzoo.data import Rows
from kzoo.metrics import multi_label_metrics
from kzoo.metrics.multi_label_report import multi_label_report

NAMES = ["food", "room"]
LABELS = np.array([[1, 0], [1, 1], [0, 0], [0, 1]])
LOGITS = np.array([[3.0, -3.0], [2.0, -1.0], [4.0, -2.0], [-1.0, 1.0]])
ROWS = Rows(list("abcd"), [()] * 4, [2, 3, 5, 9], "x.csv")


def report(**options):
    return multi_label_report(ROWS, LABELS, LOGITS, NAMES, [0.5, 0.5], **options)


def test_worst_errors_first():
    found = report(resamples=20)
    assert found["errors"] == 2
    assert [(one["line"], one["text"]) for one in found["worst"]] == [
        (5, "c"),
        (3, "b"),
    ]
    assert found["worst"][0]["gold"] == []
    assert found["worst"][0]["predicted"] == ["food"]
    loss = (np.log1p(np.exp(4)) + np.log1p(np.exp(-2))) / 2
    assert found["worst"][0]["loss"] == pytest.approx(loss)
    assert len(report(worst=1, resamples=0)["worst"]) == 1
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_metrics_are_those_of_training():
    found = report(resamples=0)
    assert found["intervals"] == {}
    for name, value in multi_label_metrics(LABELS, LOGITS, [0.5, 0.5], NAMES).items():
        assert found[name] == value


def test_intervals_are_percentiles_over_drawn_rows():
    rng = np.random.default_rng(7)
    labels, logits = rng.integers(0, 2, (30, 2)), rng.normal(size=(30, 2))
    rows = Rows(["x"] * 30, [()] * 30, list(range(30)), "x.csv")
    found = multi_label_report(rows, labels, logits, NAMES, [0.5, 0.4], 60, seed=3)
    draws = np.random.default_rng(3)
    figures = []
    for _ in range(60):
        drawn = draws.integers(0, 30, 30)
        figures.append(multi_label_metrics(labels[drawn], logits[drawn], [0.5, 0.4]))
    assert set(found["intervals"]) == set(figures[0]) - {"per_class"}
    for name, limits in found["intervals"].items():
        expected = np.percentile([one[name] for one in figures], [2.5, 97.5])
        assert limits == pytest.approx(expected.tolist()), name


def test_what_has_no_value_is_said():
    labels = LABELS * [1, 0]
    found = multi_label_report(ROWS, labels, -5 - LOGITS, NAMES, [0.5, 0.5], 0)
    assert found["notes"] == [
        'no row has the label "room": its recall counts as 0',
        'no row was rightly given "food": its F1 is 0',
    ]
