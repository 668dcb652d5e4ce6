"""The report of one model: what stands where, and what is said about it."""

import json

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from kzoo.data.readers import Origin, Rows
from kzoo.metrics import classification_metrics
from kzoo.metrics.report import report


def rows_of(count):
    texts = [f"text {row}" for row in range(count)]
    return Rows(texts, None, [2 + 3 * row for row in range(count)], "rows.csv")


def test_by_hand():
    chance = np.array([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.99, 0.01]])
    found = report(rows_of(4), [0, 0, 1, 1], np.log(chance), ["bad", "good"])
    assert found["confusion"] == [[1, 1], [1, 1]]
    assert (found["rows"], found["errors"], found["labels"]) == (4, 2, ["bad", "good"])
    assert found["worst"] == [
        {
            "row": 4,
            "line": 11,
            "gold": "good",
            "predicted": "bad",
            "probability": pytest.approx(0.99),
            "gold_probability": pytest.approx(0.01),
            "loss": pytest.approx(-np.log(0.01)),
            "text": "text 3",
        },
        {
            "row": 2,
            "line": 5,
            "gold": "bad",
            "predicted": "good",
            "probability": pytest.approx(0.8),
            "gold_probability": pytest.approx(0.2),
            "loss": pytest.approx(-np.log(0.2)),
            "text": "text 1",
        },
    ]
    assert found["notes"] == []
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_figures_agree_with_their_sources():
    rng = np.random.default_rng(2)
    labels, logits = rng.integers(0, 5, 80), rng.normal(size=(80, 5))
    names = list("abcde")
    found = report(rows_of(80), labels, logits, names, resamples=50, seed=3, worst=7)
    metrics = classification_metrics(labels, logits, names)
    assert {name: found[name] for name in metrics} == metrics
    matrix = confusion_matrix(labels, logits.argmax(axis=1))
    assert found["confusion"] == matrix.tolist()
    assert found["errors"] == 80 - matrix.trace()
    assert sum(one["rows"] for one in found["calibration"]) == 80
    losses = [one["loss"] for one in found["worst"]]
    assert len(losses) == 7 and losses == sorted(losses, reverse=True)
    for name, (low, high) in found["intervals"].items():
        if name != "calibration_error":  # Resampling makes it larger.
            assert low <= metrics[name] <= high
    assert found["bootstrap"] == {
        "method": "percentile",
        "level": 0.95,
        "resamples": 50,
        "seed": 3,
        "stratified": False,
    }


def test_of_equally_bad_errors_the_first_comes_first():
    found = report(rows_of(5), [1] * 5, [[1.0, 0.0]] * 5, ["a", "b"], worst=3)
    assert [one["row"] for one in found["worst"]] == [1, 2, 3]


def test_without_resamples_there_are_no_intervals():
    found = report(rows_of(1), [1], [[0.0, 1.0]], ["a", "b"], resamples=0)
    assert found["intervals"] == {}


def test_what_has_no_value_is_said():
    logits = [[0.0, 1.0, 0.0]] * 2
    assert report(rows_of(2), [1, 1], logits, ["a", "b", "c"])["notes"] == [
        'no row has the labels "a", "c": their recall counts as 0, and they have no '
        "ROC-AUC",
        "all rows have the same label: ROC-AUC has no value and counts as 0.5",
    ]
    assert report(rows_of(2), [0, 1], logits, ["a", "b", "c"])["notes"] == [
        'no row has the label "c": its recall counts as 0, and it has no ROC-AUC',
        'no row was rightly predicted as "a": its F1 is 0',
    ]


def test_of_several_files_the_file_is_named():
    origins = [Origin("a.csv"), Origin("b.csv"), Origin("b.csv")]
    rows = Rows(["x", "y", "z"], None, [2, 2, 3], "*.csv", origins=origins)
    found = report(rows, [0, 1, 1], [[1.0, 0.0]] * 3, ["a", "b"], resamples=0)
    assert [(one["file"], one["line"]) for one in found["worst"]] == [
        ("b.csv", 2),
        ("b.csv", 3),
    ]
