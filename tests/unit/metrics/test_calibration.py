"""Expected calibration error, by hand and against scikit-learn's curve."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from kzoo.metrics.calibration import calibration


def test_by_hand():
    # Two bins: (0, 0.5] holds 0.5 (wrong); (0.5, 1] holds 0.75 (right), 0.95 (wrong).
    found = calibration([0.5, 0.75, 0.95], [False, True, False], bins=2)
    assert found["error"] == pytest.approx((0.5 + 0.7) / 3)
    assert found["bins"] == [
        {"from": 0.0, "to": 0.5, "rows": 1, "confidence": 0.5, "accuracy": 0.0},
        {"from": 0.5, "to": 1.0, "rows": 2, "confidence": 0.85, "accuracy": 0.5},
    ]


def test_a_bin_without_rows_has_no_mean():
    found = calibration([1.0], [True], bins=2)
    assert found["error"] == 0.0
    assert found["bins"][0] == {
        "from": 0.0,
        "to": 0.5,
        "rows": 0,
        "confidence": None,
        "accuracy": None,
    }


def test_bins_agree_with_scikit_learn():
    rng = np.random.default_rng(3)
    confidences = np.concatenate([rng.uniform(0.2, 1, 400), np.arange(16) / 15])
    correct = rng.uniform(size=416) < confidences**2
    found = calibration(confidences, correct)
    accuracy, confidence = calibration_curve(correct, confidences, n_bins=15)
    filled = [one for one in found["bins"] if one["rows"]]
    np.testing.assert_allclose([one["accuracy"] for one in filled], accuracy)
    np.testing.assert_allclose([one["confidence"] for one in filled], confidence)
    rows = np.array([one["rows"] for one in filled])
    assert rows.sum() == 416
    expected = np.sum(rows * np.abs(accuracy - confidence)) / 416
    assert found["error"] == pytest.approx(expected)
