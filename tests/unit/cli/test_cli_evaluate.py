"""evaluate: what reaches kzoo, what a person sees at any width, and the report."""

import json
import os
from pathlib import Path

import pytest

ASKED = {"split": "test", "data": None, "resamples": 1000, "seed": 0, "worst": 10}
SHOWN = """\
runs/mine/jax on test split: 4 rows, 2 labels, 1 error

metric     value      95% interval
accuracy  0.7500  0.2500 to 1.0000
loss      0.5000  0.1250 to 1.5000

label  precision  recall      f1  roc_auc  rows
bad       0.5000  1.0000  0.7500        –     2
good      0.5000  1.0000  0.7500   0.8750     2

gold \\ predicted  bad  good
bad                 2     1
good                0     2

The one error:
gold  predicted   sure  line  text
"""
TEXT = "Not [31mbad <at> all, though it could have been better."


def test_evaluate(kzoo, fake, run_folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "90")
    result = kzoo("evaluate", run_folder)
    assert (result.exit_code, result.stderr) == (0, "Note: a label has no rows.\n")
    assert result.stdout == SHOWN + (f"good  bad        0.875     4  {TEXT}\n")
    assert fake.calls == [(run_folder, ASKED)]
    assert os.environ["KERAS_BACKEND"] == "torch"  # the run's


@pytest.mark.parametrize("width", [30, 42, 50, 65, 80, 200])
def test_every_width_shows_every_figure(kzoo, fake, run_folder, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = kzoo("evaluate", run_folder).stdout.splitlines()
    tables = [line for line in lines if not line.startswith(("runs/", "The one"))]
    if width > 40:
        assert max(map(len, tables)) <= width
    for figure in ("0.7500", "0.8750", "0.2500 to 1.0000", "0.875"):
        assert any(figure in line for line in lines)


def test_of_many_labels_the_commonest_confusions_are_listed(kzoo, fake, run_folder):
    names = [f"kind {n}" for n in range(12)]
    confusion = [[0] * 12 for _ in names]
    confusion[3][4], confusion[5][6], confusion[0][0] = 7, 1200, 9
    fake.figures |= {"labels": names, "confusion": confusion}
    out = kzoo("evaluate", run_folder).stdout
    assert (
        "The commonest confusions:\n"
        "gold    predicted   rows\n"
        "kind 5  kind 6     1,200\n"
        "kind 3  kind 4         7\n"
    ) in out


def test_without_resamples_there_are_no_intervals(kzoo, fake, run_folder):
    fake.figures["intervals"] = {}
    result = kzoo("evaluate", run_folder, "--resamples", 0, "--seed", 3, "--worst", 0)
    assert "metric     value\naccuracy  0.7500\n" in result.stdout
    asked = {"resamples": 0, "seed": 3, "worst": 0}
    assert fake.calls == [(run_folder, ASKED | asked)]


def test_other_rows_as_json(kzoo, fake, run_folder, tmp_path):
    tmp_path.joinpath("rows.csv").touch()
    options = ["--data", "rows.csv", "--text", "body", "--encoding", "latin-1"]
    result = kzoo("evaluate", run_folder, *options, "--json")
    assert json.loads(result.stdout) == fake.figures
    told = {"data": Path("rows.csv"), "text": "body", "encoding": "latin-1"}
    assert fake.calls == [(run_folder, ASKED | told)]


def test_rows_that_are_not_there(kzoo, fake, run_folder):
    result = kzoo("evaluate", run_folder, "--data", "rows.csv")
    assert result.exit_code == 2
    assert "'rows.csv' does not exist" in result.stderr


def test_a_layout_without_a_file(kzoo, fake, run_folder):
    result = kzoo("evaluate", run_folder, "--label", "kind", "--text", "body")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--text and --label would say how the rows of --data" in result.stderr


def test_of_many_errors_some_are_listed(kzoo, fake, run_folder):
    fake.figures["errors"] = 1200
    out = kzoo("evaluate", run_folder).stdout
    assert "1,200 errors\n" in out and "The worst of 1,200 errors, by loss:\n" in out
    fake.figures["worst"] *= 2
    out = kzoo("evaluate", run_folder).stdout
    assert "The worst 2 of 1,200 errors, by loss:\n" in out


def test_report(kzoo, fake, run_folder, tmp_path):
    result = kzoo("evaluate", run_folder, "--html", "report.html")
    assert result.exit_code == 0
    assert result.stderr.endswith("Wrote report.html\n")
    page = tmp_path.joinpath("report.html").read_text()
    assert page.startswith("<!doctype html>") and "&lt;at&gt;" in page
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "runs"]


def test_a_report_is_replaced_only_by_force(kzoo, fake, run_folder, tmp_path):
    report = tmp_path / "report.html"
    report.write_text("mine")
    result = kzoo("evaluate", run_folder, "--html", "report.html")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: report.html is there already; --force replaces it.\n"
    )
    assert (report.read_text(), fake.calls) == ("mine", [])
    assert kzoo("evaluate", run_folder, "--html", report, "--force").exit_code == 0
    assert report.read_text() != "mine"


@pytest.mark.parametrize(
    "target, sentence",
    [
        ("no/report.html", "there is no folder no to write to."),
        ("runs", "runs is a folder; name a file."),
    ],
)
def test_a_report_that_cannot_be_written(kzoo, fake, run_folder, target, sentence):
    result = kzoo("evaluate", run_folder, "--html", target)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {sentence}\n"
    assert fake.calls == []
