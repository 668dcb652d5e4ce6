"""Two models with any number of labels a row, against each alone and scipy."""

import json

import numpy as np
import pytest
from helpers.figures import numbered, scipys_interval

from kzoo.metrics.multi_label import multi_label_metrics
from kzoo.metrics.multi_label_comparison import multi_label_comparison

NAMES = ["a", "b", "c"]
THRESHOLDS = ([0.5, 0.5, 0.5], [0.4, 0.6, 0.5])


def models(rows=50):
    rng = np.random.default_rng(0)
    labels = (rng.random((rows, 3)) < 0.4).astype(int)
    logits = [
        rng.normal(size=(rows, 3)) + strength * (2 * labels - 1)
        for strength in (0.3, 1.2)
    ]
    return labels, logits


def compared(**options):
    labels, logits = models()
    return multi_label_comparison(
        numbered(50), labels, logits, NAMES, THRESHOLDS, **options
    )


def test_differences_agree_with_the_models_alone():
    labels, logits = models()
    found = compared(resamples=10)
    alone = [
        multi_label_metrics(labels, *pair)
        for pair in zip(logits, THRESHOLDS, strict=True)
    ]
    assert set(found["metrics"]) == {
        name for name, value in alone[0].items() if isinstance(value, float)
    }
    for name, one in found["metrics"].items():
        assert (one["first"], one["second"]) == (alone[0][name], alone[1][name])
        assert one["difference"] == alone[1][name] - alone[0][name]
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize("name", ["accuracy", "micro_f1", "hamming_loss", "loss"])
def test_interval_is_scipys_of_the_paired_difference(name):
    labels, logits = models()

    def statistic(rows):
        first, second = (
            multi_label_metrics(labels[rows], one[rows], thresholds)[name]
            for one, thresholds in zip(logits, THRESHOLDS, strict=True)
        )
        return second - first

    expected = scipys_interval(statistic, rows=50, resamples=25, seed=6)
    found = compared(resamples=25, seed=6)["metrics"][name]["interval"]
    assert found == pytest.approx(expected, abs=1e-9)


def test_a_row_is_right_if_all_its_labels_are():
    labels, logits = models()
    rights = [
        ((1 / (1 + np.exp(-one)) >= thresholds) == labels).all(axis=1)
        for one, thresholds in zip(logits, THRESHOLDS, strict=True)
    ]
    found = compared(resamples=0, changed=1000)
    for key, which in (
        ("only_first", rights[0] & ~rights[1]),
        ("only_second", rights[1] & ~rights[0]),
    ):
        assert found["mcnemar"][key] == which.sum() > 0
        listed = {one["row"] - 1 for one in found[key]}
        assert listed == set(np.flatnonzero(which))
    one = found["only_second"][0]
    row = one["row"] - 1
    assert one["gold"] == [n for n, has in zip(NAMES, labels[row], strict=True) if has]
    assert one["second"]["predicted"] == one["gold"] != one["first"]["predicted"]
    assert "interval" not in found["metrics"]["loss"]
