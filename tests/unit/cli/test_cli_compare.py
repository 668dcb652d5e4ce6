"""compare: what reaches kzoo, and what a person sees."""

import json

import pytest

SHOWN = """\
A: runs/mine/jax
B: zoo:text_classifier
on test split: 850 rows

metric         A       B    B − A        95% interval
accuracy  0.7500  0.8125  +0.0625  −0.0312 to +0.1250
loss      0.5000  0.2500  −0.2500  −0.5000 to −0.1250

Rows that only A gets right: 1; only B: 12. If both were equally good, chance
alone would divide them as unevenly with a probability of 0.00342 (McNemar's
exact test).

Rows that only A gets right:
gold  A predicted  B predicted  line  text
good  good 0.75    bad 0.62        9  Not bad.
"""


@pytest.fixture
def compared(fake):
    """`fake` with a `compare`; its answer is `fake.compared`."""
    one = {"predicted": "good", "probability": 0.75}
    fake.compared = {
        "first": "runs/mine/jax",
        "second": "zoo:text_classifier",
        "source": "test split",
        "task": "text_classifier",
        "rows": 850,
        "labels": ["bad", "good"],
        "metrics": {
            "accuracy": {
                "first": 0.75,
                "second": 0.8125,
                "difference": 0.0625,
                "interval": [-0.03125, 0.125],
            },
            "loss": {
                "first": 0.5,
                "second": 0.25,
                "difference": -0.25,
                "interval": [-0.5, -0.125],
            },
        },
        "bootstrap": {"level": 0.95, "resamples": 1000},
        "mcnemar": {"only_first": 1, "only_second": 12, "p_value": 0.00341796875},
        "only_first": [
            {
                "row": 8,
                "line": 9,
                "text": "Not\nbad.",
                "gold": "good",
                "first": one,
                "second": {"predicted": "bad", "probability": 0.625},
            }
        ],
        "only_second": [],
        "notes": [],
    }

    def compare(first, second, **arguments):
        fake.calls.append((first, second, arguments))
        return fake.compared

    fake.compare = compare
    return fake


def test_compare(kzoo, compared, run_folder):
    result = kzoo("compare", run_folder, "zoo:text_classifier", "--changed", 1)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == SHOWN
    asked = {"split": "test", "data": None, "resamples": 1000, "seed": 0, "changed": 1}
    assert compared.calls == [(run_folder, "zoo:text_classifier", asked)]


def test_the_number_of_rows_that_are_left_out_is_said(kzoo, compared, run_folder):
    compared.compared["mcnemar"]["only_first"] = 1234
    out = kzoo("compare", run_folder, run_folder).stdout
    assert "Rows that only A gets right, 1 of 1,234:" in out


def test_any_number_of_labels(kzoo, compared, run_folder):
    [one] = compared.compared["only_first"]
    one["gold"] = ["food", "room"]
    for key, labels in (("first", ["food", "room"]), ("second", [])):
        one[key] = {"predicted": labels, "loss": 0.5}
    out = kzoo("compare", run_folder, run_folder).stdout
    [row] = [line for line in out.splitlines() if line.startswith("food + room")]
    assert row.split()[:7] == ["food", "+", "room", "food", "+", "room", "–"]


def test_without_intervals(kzoo, compared, run_folder):
    compared.compared["bootstrap"]["resamples"] = 0
    for one in compared.compared["metrics"].values():
        del one["interval"]
    out = kzoo("compare", run_folder, run_folder, "--resamples", 0).stdout
    assert "accuracy  0.7500  0.8125  +0.0625\n" in out


def test_json(kzoo, compared, run_folder):
    result = kzoo("compare", run_folder, run_folder, "--json")
    assert json.loads(result.stdout) == compared.compared


def test_a_run_that_is_not_there(kzoo, compared, run_folder):
    result = kzoo("compare", run_folder, "none")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: none: there is no such run or model;")
    assert compared.calls == []
