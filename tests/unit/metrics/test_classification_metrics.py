"""Figures of a classifier, against scikit-learn and by hand."""

import json

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from kzoo_recipes import METRICS, MINIMISED, KzooError

from kzoo.metrics import classification_metrics


def softmax(logits):
    chance = np.exp(logits - logits.max(axis=1, keepdims=True).astype("float64"))
    return chance / chance.sum(axis=1, keepdims=True)


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
            "roc_auc": 0.75,
            "support": 2,
        },
        "b": {
            "precision": 0.5,
            "recall": 1.0,
            "f1": pytest.approx(2 / 3),
            "roc_auc": 0.75,
            "support": 1,
        },
        "c": {
            "precision": 0.0,
            "recall": 0.0,
            "f1": 0.0,
            "roc_auc": None,
            "support": 0,
        },
    }
    assert metrics["micro_f1"] == metrics["accuracy"]
    assert metrics["weighted_f1"] == pytest.approx(2 / 3)
    assert metrics["mcc"] == pytest.approx(0.5)
    assert metrics["roc_auc"] == 0.75  # "c" is left out
    # Always half sure, right twice out of three.
    assert metrics["calibration_error"] == pytest.approx(2 / 3 - 1 / 2)
    assert json.loads(json.dumps(metrics, allow_nan=False)) == metrics


@pytest.mark.filterwarnings("ignore:A single label")  # of the test's own calls
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
        area = figures.pop("roc_auc")
        assert figures == pytest.approx(theirs)
        place = 1 if classes == 2 else int(name)
        has = labels == place
        if 0 < has.sum() < rows:
            score = softmax(logits.astype("float32"))[:, place]
            theirs = sklearn.metrics.roc_auc_score(has, score)
            assert area == pytest.approx(theirs)
        else:
            assert area is None
    assert metrics["accuracy"] == sklearn.metrics.accuracy_score(labels, predicted)
    for average in ("macro", "micro", "weighted"):
        assert metrics[f"{average}_f1"] == sklearn.metrics.f1_score(
            labels, predicted, average=average, zero_division=0
        )
    correlation = sklearn.metrics.matthews_corrcoef(labels, predicted)
    assert metrics["mcc"] == pytest.approx(correlation)
    loss = -np.log(softmax(logits)[np.arange(rows), labels]).mean()
    assert metrics["loss"] == pytest.approx(loss, rel=1e-5, abs=1e-12)


def test_loss_agrees_with_scikit_learn():
    rng = np.random.default_rng(7)
    labels, logits = rng.integers(0, 4, 50), rng.normal(size=(50, 4))
    chance = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    expected = sklearn.metrics.log_loss(labels, chance, labels=range(4))
    assert classification_metrics(labels, logits)["loss"] == pytest.approx(expected)


@pytest.mark.parametrize("classes", [2, 4])
def test_roc_auc_agrees_with_scikit_learn_where_every_class_occurs(classes):
    rng = np.random.default_rng(classes)
    labels = rng.permutation(np.arange(60) % classes)
    logits = np.tile(rng.normal(size=(20, classes)), (3, 1))  # Equal rows, for ties.
    chance = softmax(logits)
    scores = chance[:, 1] if classes == 2 else chance
    expected = sklearn.metrics.roc_auc_score(labels, scores, multi_class="ovr")
    actual = classification_metrics(labels, logits)["roc_auc"]
    assert actual == pytest.approx(expected, abs=1e-12)


def test_metrics_are_those_that_recipes_may_name():
    metrics = classification_metrics([0, 1], [[1.0, 0.0], [0.0, 1.0]])
    numbers = [name for name, value in metrics.items() if isinstance(value, float)]
    assert numbers == list(METRICS["text_classifier"])
    best = {name: 0.0 if name in MINIMISED else 1.0 for name in numbers}
    certain = classification_metrics([0, 1], [[99.0, 0.0], [0.0, 99.0]])
    for name, value in best.items():
        assert certain[name] == pytest.approx(value, abs=1e-12), name


def test_large_logits_do_not_overflow():
    metrics = classification_metrics([0, 1], [[1e4, 0.0], [1e4, 0.0]])
    assert metrics["loss"] == 5e3


def test_only_one_class_occurs():
    metrics = classification_metrics([1, 1], [[0.0, 1.0], [0.0, 1.0]])
    assert (metrics["accuracy"], metrics["macro_f1"]) == (1.0, 1.0)
    assert (metrics["mcc"], metrics["roc_auc"]) == (0.0, 0.5)
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
