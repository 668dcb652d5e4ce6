"""Figures of a classifier, against scikit-learn and by hand."""

import json

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from kzoo_recipes import KzooError

from kzoo.metrics import classification_metrics


def test_by_hand():
    # Right, wrong, right; "c" has no rows and is never predicted.
    logits = np.log([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.5, 0.25]])
    metrics = classification_metrics([0, 0, 1], logits, names=["a", "b", "c"])
    assert metrics["accuracy"] == pytest.approx(2 / 3)
    assert metrics["macro_f1"] == pytest.approx(2 / 3)
    assert metrics["loss"] == pytest.approx(np.log([2, 4, 2]).mean())
    assert metrics["per_class"] == {
        "a": {
            "precision": 1.0,
            "recall": 0.5,
            "f1": pytest.approx(2 / 3),
            "support": 2,
        },
        "b": {
            "precision": 0.5,
            "recall": 1.0,
            "f1": pytest.approx(2 / 3),
            "support": 1,
        },
        "c": {"precision": 0.0, "recall": 0.0, "f1": 0.0, "support": 0},
    }
    assert json.loads(json.dumps(metrics, allow_nan=False)) == metrics


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(1, 40),
    classes=st.integers(2, 6),
    scale=st.sampled_from([0.0, 1.0, 30.0]),
)
def test_agrees_with_scikit_learn(seed, rows, classes, scale):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, rows)
    logits = scale * rng.normal(size=(rows, classes))
    predicted = logits.argmax(axis=1)
    metrics = classification_metrics(labels, logits.astype("float32"))
    report = sklearn.metrics.classification_report(
        labels, predicted, labels=range(classes), output_dict=True, zero_division=0
    )
    for name, figures in metrics["per_class"].items():
        theirs = report[name]
        theirs["f1"] = theirs.pop("f1-score")
        assert figures == pytest.approx(theirs)
    assert metrics["accuracy"] == sklearn.metrics.accuracy_score(labels, predicted)
    assert metrics["macro_f1"] == sklearn.metrics.f1_score(
        labels, predicted, average="macro", zero_division=0
    )
    chance = np.exp(logits - logits.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    loss = -np.log(chance[np.arange(rows), labels]).mean()
    assert metrics["loss"] == pytest.approx(loss, rel=1e-5, abs=1e-12)


def test_loss_agrees_with_scikit_learn():
    rng = np.random.default_rng(7)
    labels, logits = rng.integers(0, 4, 50), rng.normal(size=(50, 4))
    chance = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    expected = sklearn.metrics.log_loss(labels, chance, labels=range(4))
    assert classification_metrics(labels, logits)["loss"] == pytest.approx(expected)


def test_large_logits_do_not_overflow():
    metrics = classification_metrics([0, 1], [[1e4, 0.0], [1e4, 0.0]])
    assert metrics["loss"] == 5e3


def test_only_one_class_occurs():
    metrics = classification_metrics([1, 1], [[0.0, 1.0], [0.0, 1.0]])
    assert (metrics["accuracy"], metrics["macro_f1"]) == (1.0, 1.0)
    assert metrics["per_class"]["0"]["support"] == 0


def test_a_diverged_model_is_named():
    with pytest.raises(KzooError, match="row 1 is not a finite number, and 1 of 2"):
        classification_metrics([0, 1], [[0.0, 1.0], [np.nan, 1.0]])


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([], np.zeros((0, 2))), r"Received: labels.shape=\(0,\), logits.shape=\(0, 2"),
        (([0, 1], np.zeros((3, 2))), r"labels.shape=\(2,\), logits.shape=\(3, 2\)"),
        (([0], np.zeros(2)), r"logits.shape=\(2,\)"),
        (([2], np.zeros((1, 2))), "labels from 2 to 2"),
        (([-1], np.zeros((1, 2))), "labels from -1 to -1"),
        (([0], np.zeros((1, 2)), ["a"]), "1 names, 2 classes"),
    ],
)
def test_shapes_and_classes_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        classification_metrics(*arguments)
