"""Figures of labels that do not exclude each other, by hand and by scikit-learn."""

import json

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from kzoo_recipes import KzooError

from kzoo.metrics import multi_label_metrics, tuned_thresholds

HALF = [0.5, 0.5]


def logit(probabilities):
    p = np.asarray(probabilities, "float64")
    return np.log(p) - np.log1p(-p)


def test_by_hand():
    # The first row is all right, the second misses "b", the third has one too many.
    labels = [[1, 0], [1, 1], [0, 0]]
    found = logit([[0.9, 0.2], [0.8, 0.4], [0.6, 0.1]])
    metrics = multi_label_metrics(labels, found, HALF, ["a", "b"])
    assert metrics["accuracy"] == pytest.approx(1 / 3)
    assert metrics["hamming_loss"] == pytest.approx(2 / 6)
    assert metrics["micro_f1"] == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))
    assert metrics["macro_f1"] == pytest.approx((0.8 + 0) / 2)
    assert metrics["weighted_f1"] == pytest.approx((2 * 0.8 + 1 * 0) / 3)
    right = [0.9, 0.8, 0.8, 0.4, 0.4, 0.9]
    assert metrics["loss"] == pytest.approx(-np.log(right).mean())
    assert metrics["per_class"] == {
        "a": {
            "precision": pytest.approx(2 / 3),
            "recall": 1.0,
            "f1": pytest.approx(0.8),
            "roc_auc": 1.0,
            "support": 2,
            "threshold": 0.5,
        },
        "b": {
            "precision": 0.0,
            "recall": 0.0,
            "f1": 0.0,
            "roc_auc": 1.0,
            "support": 1,
            "threshold": 0.5,
        },
    }
    assert json.loads(json.dumps(metrics, allow_nan=False)) == metrics


def test_each_label_has_its_threshold():
    found = logit([[0.9, 0.4], [0.7, 0.1]])
    metrics = multi_label_metrics([[1, 1], [0, 0]], found, [0.8, 0.3])
    assert metrics["accuracy"] == 1.0
    assert metrics["per_class"]["1"]["threshold"] == 0.3
    from_threshold_on = multi_label_metrics([[1]], [[0.0]], [0.5])
    assert from_threshold_on["accuracy"] == 1.0


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(1, 30),
    classes=st.integers(1, 5),
    scale=st.sampled_from([0.0, 1.0, 1000.0]),
)
def test_agrees_with_scikit_learn(seed, rows, classes, scale):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, (rows, classes))
    logits = (scale * rng.normal(size=(rows, classes))).astype("float32")
    metrics = multi_label_metrics(labels, logits, [0.5] * classes)
    given_, options = (logits >= 0).astype(int), {"zero_division": 0.0}
    assert metrics["accuracy"] == np.mean((given_ == labels).all(axis=1))
    assert metrics["hamming_loss"] == pytest.approx(np.mean(given_ != labels))
    columns = [
        sklearn.metrics.f1_score(labels[:, c], given_[:, c], **options)
        for c in range(classes)
    ]
    assert [one["f1"] for one in metrics["per_class"].values()] == columns
    assert metrics["macro_f1"] == pytest.approx(np.mean(columns))
    micro = sklearn.metrics.f1_score(labels.ravel(), given_.ravel(), **options)
    assert metrics["micro_f1"] == pytest.approx(micro)
    assert np.isfinite(metrics["loss"])
    for column, one in enumerate(metrics["per_class"].values()):
        held = labels[:, column]
        if 0 < held.sum() < rows:
            area = sklearn.metrics.roc_auc_score(held, logits[:, column])
            assert one["roc_auc"] == pytest.approx(area)
        else:
            assert one["roc_auc"] is None
    if scale == 1.0:
        p = 1 / (1 + np.exp(-logits.astype("float64")))
        loss = sklearn.metrics.log_loss(
            labels.ravel(), np.stack([1 - p, p], -1).reshape(-1, 2), labels=[0, 1]
        )
        assert metrics["loss"] == pytest.approx(loss)


def test_no_row_has_any_label():
    metrics = multi_label_metrics([[0, 0]], [[-1.0, -1.0]], HALF)
    assert metrics["per_class"]["0"]["roc_auc"] is None
    assert (metrics["accuracy"], metrics["micro_f1"]) == (1.0, 0.0)


def test_a_diverged_model_is_named():
    with pytest.raises(KzooError, match="row 1 is not a finite number, and 1 of 2"):
        multi_label_metrics([[0, 1]] * 2, [[0.0, 1.0], [np.nan, 1.0]], HALF)


@pytest.mark.parametrize(
    "labels, logits, thresholds",
    [
        (np.zeros((0, 2)), np.zeros((0, 2)), HALF),
        ([0, 1], np.zeros((2, 2)), HALF),
        ([[0, 1]], [[0.0, 1.0, 2.0]], HALF),
        ([[0, 1]], [[0.0, 1.0]], [0.5]),
    ],
)
def test_shapes_are_checked(labels, logits, thresholds):
    with pytest.raises(ValueError, match=r"Received: labels.shape=.*thresholds.shape="):
        multi_label_metrics(labels, logits, thresholds)


@settings(deadline=None, max_examples=40)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 1), st.sampled_from(np.linspace(0.04, 0.96, 24))),
        min_size=1,
        max_size=25,
    )
)
def test_no_threshold_is_better_than_the_tuned_one(rows):
    held, found = map(np.array, zip(*rows, strict=True))
    [tuned] = tuned_thresholds(held[:, None], logit(found)[:, None])
    if held.any():
        chosen = found >= np.linspace(0, 1, 401)[:, None]
        f1 = 2 * (chosen & (held == 1)).sum(axis=1) / (chosen.sum(axis=1) + held.sum())
        reached = sklearn.metrics.f1_score(held, found >= tuned, zero_division=0.0)
        assert reached == pytest.approx(f1.max())
        assert np.abs(found - tuned).min() > 0.01  # Rounding moves no row.
    else:
        assert tuned == 0.5


def test_of_equally_good_thresholds_the_one_nearest_to_half():
    # At 0.85 one of two is found, at 0.65 both and two others: F1 is 2/3 each time.
    found = [[0.9], [0.8], [0.8], [0.6], [0.5]]
    labels = [[1], [0], [0], [1], [0]]
    np.testing.assert_allclose(tuned_thresholds(labels, logit(found)), [0.55])


def test_what_no_row_has_keeps_one_half():
    found = logit([[0.9, 0.9], [0.2, 0.1]])
    np.testing.assert_allclose(tuned_thresholds([[0, 1], [0, 0]], found), HALF)


def test_extremes_have_thresholds():
    labels = [[1, 0, 1], [1, 1, 0]]
    found = [[1e4, -1e4, 1e4], [-1e4, -1e4, 1e4]]
    np.testing.assert_array_equal(tuned_thresholds(labels, found), [0, 0, 0.5])
