"""Two summarizers on the same rows."""

import json

import numpy as np
import pytest
from helpers.summaries import paired_rows
from scipy.stats import binomtest

from kzoo.metrics.summary_comparison import summary_comparison
from kzoo.metrics.summary_report import summary_report


def compared(**options):
    rows, first = paired_rows(30)
    second = [
        own[0] if row % 4 == 0 else first[row]
        for row, own in enumerate(rows.references)
    ]
    second[1] = ""
    cuts = [row < 3 for row in range(30)], [False] * 30
    return (
        rows,
        (first, second),
        summary_comparison(rows, (first, second), cuts, **options),
    )


def test_metrics_are_those_of_each_alone():
    rows, predictions, found = compared(resamples=0)
    assert json.loads(json.dumps(found)) == found
    alone = [summary_report(rows, said, resamples=0) for said in predictions]
    for name in ("rouge1", "rougeLsum", "length_ratio", "copy_rate", "empty"):
        one = found["metrics"][name]
        assert [one["first"], one["second"]] == [own[name] for own in alone]
        assert one["difference"] == one["second"] - one["first"]
        assert "interval" not in one
    means = [own["rouge"]["rouge2"]["mean"]["f1"] for own in alone]
    assert [found["mean"]["rouge2"][side] for side in ("first", "second")] == means
    assert found["metrics"]["truncated"]["difference"] == -0.1
    assert found["references"] == alone[0]["references"]
    assert found["scoring"] == alone[0]["scoring"]


def test_both_are_measured_on_the_same_draws():
    rows, predictions, found = compared(resamples=40, seed=5)
    scores = [rouge_l_by_row(rows, said) for said in predictions]
    rng = np.random.default_rng(5)
    draws = [rng.integers(0, 30, 30) for _ in range(40)]
    drawn = [(scores[1] - scores[0])[draw].mean() for draw in draws]
    expected = np.percentile(drawn, [2.5, 97.5])
    np.testing.assert_allclose(
        found["metrics"]["rougeL"]["interval"], expected, rtol=1e-9
    )
    same = summary_comparison(rows, (predictions[0],) * 2, resamples=9)
    for one in (*same["metrics"].values(), *same["mean"].values()):
        assert one["interval"] == [0.0, 0.0]


def rouge_l_by_row(rows, predictions):
    """ROUGE-L of each row, out of the lists of worst and best rows."""
    found = summary_report(rows, predictions, resamples=0, worst=len(predictions))
    listed = [*found["worst"], *found["best"]]
    by_row = {one["row"]: one["rougeL"] for one in listed}
    return np.array([by_row[row + 1] for row in range(len(predictions))])


def test_rows_where_one_is_better():
    rows, predictions, found = compared(resamples=0, changed=3)
    test = found["sign_test"]
    assert test["first"] + test["second"] + test["equal"] == 30
    assert test["second"] > 3 and test["first"] == 1
    apart = test["first"] + test["second"]
    assert test["p_value"] == pytest.approx(binomtest(test["first"], apart).pvalue)
    [first] = found["first_better"]
    assert (first["row"], first["line"]) == (2, 3)
    assert first["references"] == rows.references[1]
    assert first["second"]["prediction"] == "" and first["second"]["rougeL"] == 0
    assert first["first"]["prediction"] == predictions[0][1]
    assert first["first"]["truncated"] and not first["second"]["truncated"]
    gaps = [
        one["second"]["rougeL"] - one["first"]["rougeL"]
        for one in found["second_better"]
    ]
    assert len(gaps) == 3 and gaps == sorted(gaps, reverse=True) and gaps[-1] > 0


def test_what_only_rounding_tells_apart_is_equal():
    rows, _ = paired_rows(1, most=1)
    rows.references[:] = [["the mayor came", "the ferry was late"]]
    said = ["the ferry ran late"], ["the mayor came by car"]  # 3 of 4, and 3 of 3 and 5
    test = summary_comparison(rows, said, resamples=0)["sign_test"]
    assert test == {"first": 0, "second": 0, "equal": 1, "p_value": 1.0}
