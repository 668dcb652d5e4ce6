"""evaluate and compare, of summarizers: what a person sees, at any width."""

import csv
import json

import pytest
from helpers.summaries import paired_rows, summary_figures
from kzoo_recipes import KzooError

from kzoo.metrics.summary_comparison import summary_comparison
from kzoo.metrics.summary_report import summary_report

DOCUMENTS = ("The ferry ran late. The mayor came by car.", "It rained.", "Done.")
REFERENCES = (["The mayor came.", "The ferry was late."], ["Rain."], ["Done."])
SAID = ("The ferry ran late.", "", "Done.")
OTHER = ("The mayor came by car.", "Rain.", "Done.")
SHOWN = """\
runs/mine/jax on test split: 3 rows, 4 references, 1 empty prediction

best reference      f1  precision  recall  mean f1
rouge1          0.5833     0.5833  0.5833   0.5060
rouge2          0.1111     0.1111  0.1111   0.0556
rougeL          0.5833     0.5833  0.5833   0.5060
rougeLsum       0.5833     0.5833  0.5833   0.5060

LEAD-1         f1  more than it
rouge1     0.8056       −0.2222
rouge2     0.1111       +0.0000
rougeL     0.8056       −0.2222
rougeLsum  0.8056       −0.2222
(LEAD-1: the first sentence of each document, no model)

metric              value
length_ratio       0.9091
empty              0.3333
repeated_trigrams  0.0000
novel_bigrams      0.0000
copy_rate          1.0000
copy_density       2.5000
truncated          0.3333

on average        predictions  references  LEAD-1  documents
words                     1.7         2.2     2.3        4.0
sentences                0.67        1.00    1.00       1.33
new 1-grams              0.0%       31.2%    0.0%          –
new 2-grams              0.0%       33.3%    0.0%          –
new 3-grams              0.0%       50.0%    0.0%          –
new 4-grams              0.0%      100.0%    0.0%          –
repeated 1-grams         0.0%        0.0%    0.0%          –
repeated 2-grams         0.0%        0.0%    0.0%          –
repeated 3-grams         0.0%        0.0%    0.0%          –
repeated 4-grams         0.0%        0.0%    0.0%          –
coverage               100.0%       68.8%  100.0%          –
density                  2.50        1.31    2.33          –
longest copy              1.7         1.5     2.3          –

ROUGE is that of rouge-score VERSION: words by the tokenizer "rouge-score",
Porter's stemmer, sentences parted at line breaks and . ! ? … by kzoo's rule.
Summaries were generated with max_new_tokens=16, beams=4.

The 2 rows of 3 with least ROUGE-L:
line 2, 0.0000: It rained.
  reference:  Rain.
  prediction:
line 1, 0.7500, document cut: The ferry ran late. The mayor came by car.
  reference:  The mayor came.
  reference:  The ferry was late.
  prediction: The ferry ran late.

The row of 3 with most ROUGE-L:
line 3, 1.0000: Done.
  reference:  Done.
  prediction: Done.
"""
COMPARED = """\
A: runs/mine/jax
B: zoo:summarizer
on test split: 3 rows, 4 references

metric                  A       B    B − A
rouge1             0.5833  0.9167  +0.3333
rouge2             0.1111  0.2222  +0.1111
rougeL             0.5833  0.9167  +0.3333
rougeLsum          0.5833  0.9167  +0.3333
length_ratio       0.9091  1.2727  +0.3636
empty              0.3333  0.0000  −0.3333
repeated_trigrams  0.0000  0.0000  +0.0000
novel_bigrams      0.0000  0.0000  +0.0000
copy_rate          1.0000  0.6667  −0.3333
copy_density       2.5000  2.0000  −0.5000
truncated          0.3333  0.3333  +0.0000

ROUGE as the mean over references, not the best of them:
metric          A       B    B − A
rouge1     0.5060  0.8287  +0.3228
rouge2     0.0556  0.1111  +0.0556
rougeL     0.5060  0.8287  +0.3228
rougeLsum  0.5060  0.8287  +0.3228

Rows where A has the higher ROUGE-L: 0; B: 1; neither: 2. If both were equally
good, chance alone would divide them as unevenly with a probability of 1 (sign
test).

ROUGE is that of rouge-score VERSION: words by the tokenizer "rouge-score",
Porter's stemmer, sentences parted at line breaks and . ! ? … by kzoo's rule. A
was run with max_new_tokens=16, beams=4; B was run with beams=1.

Rows where B is better, by the gap in ROUGE-L:
line 2, +1.0000: It rained.
  reference: Rain.
  A, 0.0000:
  B, 1.0000: Rain.
"""


def rows():
    found, _ = paired_rows(3)
    found.documents[:], found.references[:] = DOCUMENTS, REFERENCES
    found.lines[:] = 1, 2, 3
    return found


@pytest.fixture
def summarizer(fake):
    """`fake`, whose models are summarizers."""
    cut = [True, False, False]
    settings = {"max_new_tokens": 16, "beams": 4}
    fake.figures = {
        "run": "runs/mine/jax",
        "source": "test split",
        "task": "summarizer",
        **summary_report(rows(), SAID, cut, resamples=0, worst=2),
        "generation": settings,
    }
    fake.compared = {
        "first": "runs/mine/jax",
        "second": "zoo:summarizer",
        "source": "test split",
        "task": "summarizer",
        **summary_comparison(rows(), (SAID, OTHER), (cut, cut), resamples=0),
        "generation": {"first": settings, "second": {"beams": 1}},
        "notes": ["they differ"],
    }
    fake.compare = lambda first, second, **arguments: fake.compared
    return fake


def test_evaluate(kzoo, summarizer, run_folder):
    result = kzoo("evaluate", run_folder)
    version = summarizer.figures["scoring"]["version"]
    assert (result.exit_code, result.stdout) == (0, SHOWN.replace("VERSION", version))
    assert result.stderr == "Note: 1 prediction is empty and counts as 0.\n"


def test_intervals(kzoo, summarizer, run_folder):
    found = summarizer.figures = summary_figures()
    out = kzoo("evaluate", run_folder).stdout
    for one in found["rouge"].values():
        low, high = one["best"]["intervals"]["f1"]
        assert f"  {low:.4f} to {high:.4f}  " in out
        low, high = one["lead"]["difference"]["interval"]
        assert f"  {low:+.4f} to {high:+.4f}\n".replace("-", "−") in out
    low, high = found["intervals"]["copy_rate"]
    assert (
        f"copy_rate          {found['copy_rate']:.4f}  {low:.4f} to {high:.4f}" in out
    )


def test_a_single_reference_a_row(kzoo, summarizer, run_folder):
    summarizer.figures["references"] = {"total": 1203, "rows_with_several": 0}
    out = kzoo("evaluate", run_folder).stdout
    assert "3 rows, 1,203 references" in out
    assert "best reference" not in out and "mean f1" not in out


def test_many_references_and_no_stemmer(kzoo, summarizer, run_folder):
    found = summarizer.figures
    found["worst"][1]["references"] = ["a"] * 5
    found["scoring"] |= {"stemmer": None, "tokenizer": "unicode"}
    out = kzoo("evaluate", run_folder).stdout
    assert "  reference:  a\n  reference:  a\n  and 3 more references\n" in out
    assert 'the tokenizer "unicode", no\nstemmer,' in out


def test_no_rows_are_listed(kzoo, summarizer, run_folder):
    summarizer.figures |= {"worst": [], "best": []}
    assert "ROUGE-L:" not in kzoo("evaluate", run_folder).stdout


@pytest.mark.parametrize("width", [60, 80, 200])
def test_every_width_shows_every_figure(
    kzoo, summarizer, run_folder, monkeypatch, width
):
    monkeypatch.setenv("COLUMNS", str(width))
    summarizer.figures = summary_figures(text="naïve 😀 日本 a\x1b[31mb")
    lines = kzoo("evaluate", run_folder).stdout.splitlines()
    for line in lines[1:]:
        cells = sum(2 if char in "日本😀" else 1 for char in line)
        assert cells <= width or line.startswith("  "), line
    out = "\n".join(lines)
    assert "\x1b" not in out
    for one in summarizer.figures["rouge"].values():
        for way in ("best", "lead"):
            assert f"{one[way]['f1']:.4f}" in out


def test_report_and_json(kzoo, summarizer, run_folder, tmp_path):
    result = kzoo("evaluate", run_folder, "--html", "report.html", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == summarizer.figures
    assert "What the texts are like" in tmp_path.joinpath("report.html").read_text()


def test_compare(kzoo, summarizer, run_folder):
    result = kzoo("compare", run_folder, "zoo:text_classifier")
    version = summarizer.figures["scoring"]["version"]
    assert (result.exit_code, result.stdout) == (
        0,
        COMPARED.replace("VERSION", version),
    )
    assert result.stderr == "Note: they differ.\n"


def test_compare_says_what_it_leaves_out(kzoo, summarizer, run_folder):
    summarizer.compared["sign_test"]["second"] = 1234
    out = kzoo("compare", run_folder, run_folder).stdout
    assert "Rows where B is better, 1 of 1,234, by the gap in ROUGE-L:\n" in out


TOLD = {
    "beams": 2,
    "max_new_tokens": 9,
    "length_penalty": 0.5,
    "early_stopping": "never",
    "no_repeat_ngram": 3,
}


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_what_is_told_of_summaries_is_handed_on(
    kzoo, summarizer, run_folder, command, tmp_path
):
    calls = []
    found = summarizer.figures if command == "evaluate" else summarizer.compared
    setattr(summarizer, command, lambda *runs, **told: calls.append(told) or found)
    tmp_path.joinpath("rows.csv").write_text("")
    runs = [run_folder] * (1 if command == "evaluate" else 2)
    options = [
        part
        for name, value in TOLD.items()
        for part in (f"--{name.replace('_', '-')}", value)
    ]
    columns = ("--document", "d", "--summary", "s", "--references", "r")
    rouge = ("--rouge-tokenizer", "unicode", "--no-stemmer")
    result = kzoo(command, *runs, "--data", "rows.csv", *options, *columns, *rouge)
    assert result.exit_code == 0
    [told] = calls
    assert told["generation"] == TOLD
    assert (told["rouge_tokenizer"], told["stemmer"]) == ("unicode", False)
    assert [told[name] for name in ("text", "summary", "references")] == list("dsr")
    kzoo(command, *runs)
    assert not {"generation", "rouge_tokenizer", "stemmer"} & set(calls[1])


def test_errors_are_about_options(kzoo, summarizer, run_folder):
    def fail(run, **told):
        raise KzooError(f"{run}: `beam_groups`, `rouge_tokenizer` and `other`.")

    summarizer.evaluate = fail
    result = kzoo("evaluate", run_folder, "--beam-groups", "3")
    assert result.exit_code == 2 and result.stdout == ""
    assert ": --beam-groups, --rouge-tokenizer and `other`.\n" in result.stderr


def test_how_tokens_are_drawn_without_draws(kzoo, summarizer, run_folder):
    result = kzoo("evaluate", run_folder, "--top-p", "0.5")
    assert (
        result.exit_code == 2 and "--top-p says how tokens are drawn" in result.stderr
    )
    result = kzoo("evaluate", run_folder, "--nbest", "2")
    assert result.exit_code == 2 and "--nbest" in result.stderr


def test_predictions_in_a_file(kzoo, summarizer, run_folder, tmp_path):
    cut = [True, False, False]
    every = summary_report(rows(), SAID, cut, resamples=0, every_row=True)["every_row"]
    asked = []

    def evaluate(run, **told):
        asked.append(told["every_row"])
        return {**summarizer.figures, "every_row": [dict(row) for row in every]}

    summarizer.evaluate = evaluate
    result = kzoo("evaluate", run_folder, "--predictions", "said.jsonl", "--json")
    assert result.exit_code == 0 and result.stderr.endswith("Wrote said.jsonl\n")
    assert json.loads(result.stdout) == summarizer.figures
    lines = tmp_path.joinpath("said.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == every and asked == [True]
    kzoo("evaluate", run_folder, "--predictions", "said.csv")
    with tmp_path.joinpath("said.csv").open(newline="") as file:
        found = list(csv.DictReader(file))
    assert [one["prediction"] for one in found] == list(SAID)
    assert [json.loads(one["references"]) for one in found] == list(REFERENCES)
    assert [float(one["rougeL"]) for one in found] == [one["rougeL"] for one in every]
    assert [one["truncated"] for one in found] == ["true", "false", "false"]


@pytest.mark.parametrize(
    "options, sentence",
    [
        (("--predictions", "said.txt"), "predictions are written as .jsonl or .csv."),
        (
            ("--predictions", "a.csv", "--html", "a.csv"),
            "--predictions and --html both",
        ),
        (
            ("--predictions", "there.csv"),
            "there.csv is there already; --force replaces",
        ),
    ],
)
def test_where_predictions_cannot_be_written(
    kzoo, summarizer, run_folder, tmp_path, options, sentence
):
    tmp_path.joinpath("there.csv").write_text("")
    result = kzoo("evaluate", run_folder, *options)
    assert (result.exit_code, summarizer.calls) == (2, [])
    assert sentence in result.stderr


def test_a_figure_without_an_interval(kzoo, summarizer, run_folder):
    summarizer.figures = {"loss": 2.5, **summary_figures()}
    out = kzoo("evaluate", run_folder).stdout
    assert "\nloss               2.5000\n" in out
