"""evaluate and compare, of taggers: what a person sees, at any width."""

import json

import pytest
from helpers.tags import tagged_rows, tagging_figures

from kzoo.metrics.tagging_comparison import tagging_comparison
from kzoo.metrics.tagging_report import tagging_report

TEXTS = ("Ada Byron met Babbage in London", "Ada Byron left")
GOLD = ("B-PER I-PER O B-PER O B-LOC", "B-PER I-PER O")
SAID = ("B-PER O B-LOC B-LOC O O", "B-PER O O")
OTHER = ("B-PER I-PER O B-PER O B-LOC", "B-PER I-PER O")
LABELS = ["O", "B-LOC", "I-LOC", "B-PER", "I-PER"]
SHOWN = """\
runs/mine/jax on test split: 2 sentences, 9 words, 2 types, 5 errors

metric        value
f1           0.0000
precision    0.0000
recall       0.0000
macro_f1     0.0000
weighted_f1  0.0000
strict_f1    0.0000
accuracy     0.4444

type  precision  recall      f1  strict  gold  predicted
LOC      0.0000  0.0000  0.0000  0.0000     1          2
PER      0.0000  0.0000  0.0000  0.0000     3          2

average, strict alike  precision  recall      f1
micro                     0.0000  0.0000  0.0000
macro                     0.0000  0.0000  0.0000
weighted                  0.0000  0.0000  0.0000

match     correct  incorrect  partial  missed  spurious      f1
strict          0          3        0       1         1  0.0000
exact           1          2        0       1         1  0.2500
partial         1          0        2       1         1  0.5000
ent_type        2          1        0       1         1  0.5000
(strict: words and type; exact: words; partial: words, some count half;
ent_type: type, some words)

Of these errors 1 wrong type, 2 wrong borders, 1 missed, 1 spurious:
gold \\ predicted  LOC  PER  missed
LOC                 0    0       1
PER                 1    2       0
spurious            1    0       0

All 5 errors:
entity     gold  predicted  count  line  sentence
Ada Byron  PER   PER “Ada”      2     1  Ada Byron met Babbage in London
met        –     LOC            1     3  Ada Byron met Babbage in London
Babbage    PER   LOC            1     4  Ada Byron met Babbage in London
London     LOC   –              1     6  … met Babbage in London

2 sentences with errors:
line 1, 4 errors: Ada Byron met Babbage in London
  Ada Byron  PER → PER “Ada”
  met  – → LOC
  Babbage  PER → LOC
  London  LOC → –
line 8, 1 error: Ada Byron left
  Ada Byron  PER → PER “Ada”
"""
COMPARED = """\
A: runs/mine/jax
B: zoo:token_tagger
on test split: 2 sentences, 9 words

metric            A       B    B − A
f1           0.0000  1.0000  +1.0000
precision    0.0000  1.0000  +1.0000
recall       0.0000  1.0000  +1.0000
macro_f1     0.0000  1.0000  +1.0000
weighted_f1  0.0000  1.0000  +1.0000
strict_f1    0.0000  1.0000  +1.0000
accuracy     0.4444  1.0000  +0.5556

F1 of       A       B    B − A
LOC    0.0000  1.0000  +1.0000
PER    0.0000  1.0000  +1.0000

Words that only A tags rightly: 0; only B: 5. If both were equally good, chance
alone would divide them as unevenly with a probability of 0.0625 (McNemar's
exact test).

Gold entities that only B finds:
entities   gold  A predicted  line  sentence
Babbage    PER   LOC             4  Ada Byron met Babbage in London
Ada Byron  PER   PER “Ada”       1  Ada Byron met Babbage in London
Ada Byron  PER   PER “Ada”       8  Ada Byron left
London     LOC   –               6  … met Babbage in London

Wrong entities that only A predicts: 4; only B: 0.
"""


def answers():
    gold, said, other = ([row.split() for row in side] for side in (GOLD, SAID, OTHER))
    rows = tagged_rows(gold, [text.split() for text in TEXTS])
    scores = [[0.5, 0.25, 0.5, 0.75, 0.5, 0.25], [0.5, 0.25, 0.5]]
    return rows, gold, said, other, scores


@pytest.fixture
def tagger(fake):
    """`fake`, whose models are taggers."""
    rows, gold, said, other, scores = answers()
    fake.figures = {
        "run": "runs/mine/jax",
        "source": "test split",
        "task": "token_tagger",
        **tagging_report(rows, gold, said, scores, "iob2", LABELS, resamples=0),
    }
    both = (said, other), (scores, scores)
    fake.compared = {
        "first": "runs/mine/jax",
        "second": "zoo:token_tagger",
        "source": "test split",
        "task": "token_tagger",
        **tagging_comparison(rows, gold, *both, "iob2", resamples=0),
        "notes": ["they differ"],
    }
    fake.compare = lambda first, second, **arguments: fake.compared
    return fake


def test_evaluate(kzoo, tagger, run_folder):
    result = kzoo("evaluate", run_folder)
    assert (result.exit_code, result.stdout) == (0, SHOWN)
    assert result.stderr == (
        'Note: none was rightly predicted as "LOC", "PER": their F1 is 0.\n'
    )


def test_how_the_rows_of_a_file_are_written(kzoo, tagger, run_folder, tmp_path):
    tmp_path.joinpath("rows.jsonl").write_text("")
    told = {
        "words": "w",
        "tags": "t",
        "spans": "s",
        "scheme": "io",
        "invalid": "refuse",
    }
    options = [part for key, value in told.items() for part in (f"--{key}", value)]
    result = kzoo("evaluate", run_folder, "--data", "rows.jsonl", *options)
    assert result.exit_code == 0
    [(_, arguments)] = tagger.calls
    assert {key: arguments[key] for key in told} == told


def test_plain_tags(kzoo, tagger, run_folder):
    rows, gold, said, _, scores = answers()
    tagger.figures = {
        **{key: tagger.figures[key] for key in ("run", "source", "task")},
        **tagging_report(rows, gold, said, scores, "plain", LABELS, resamples=0),
    }
    out = kzoo("evaluate", run_folder).stdout
    assert "2 sentences, 9 words, 5 tags, 5 errors" in out
    assert "average" not in out and "spurious" not in out
    assert "gold \\ predicted  B-LOC  B-PER  I-LOC  I-PER  O\n" in out
    assert "Byron    I-PER  O              2     2  Ada Byron met" in out


@pytest.mark.parametrize("width", [50, 65, 80, 200])
@pytest.mark.parametrize("scheme", ["bioes", "plain"])
def test_every_width_shows_every_figure(
    kzoo, tagger, run_folder, monkeypatch, width, scheme
):
    monkeypatch.setenv("COLUMNS", str(width))
    tagger.figures = tagging_figures(
        scheme, words=["naïve 😀 wörd", "日本", "a\x1b[31mb"]
    )
    lines = kzoo("evaluate", run_folder).stdout.splitlines()
    for line in lines[1:]:
        cells = sum(2 if char in "日本😀" else 1 for char in line)
        assert cells <= width or line.startswith("  "), line
    out = "\n".join(lines)
    assert "\x1b" not in out
    for one in tagger.figures.get("strict_per_class", {}).values():
        assert f"{one['f1']:.4f}" in out
    for one in tagger.figures["per_class"].values():
        assert f"{one['f1']:.4f}" in out and str(one["support"]) in out


def test_intervals(kzoo, tagger, run_folder):
    tagger.figures = tagging_figures()
    out = kzoo("evaluate", run_folder).stdout
    low, high = tagger.figures["intervals"]["strict_f1"]
    assert f"{low:.4f} to {high:.4f}\n" in out
    low, high = tagger.figures["per_class"]["A"]["interval"]
    assert f"  {low:.4f} to {high:.4f}  " in out


def test_of_many_types_the_commonest_confusions_are_listed(kzoo, tagger, run_folder):
    names = [f"T{n}" for n in range(9)]
    confusion = [[0] * 10 for _ in range(10)]
    confusion[0][0], confusion[1][9], confusion[9][2], confusion[3][4] = 9, 7, 8, 1200
    tagger.figures |= {"labels": names, "confusion": confusion}
    assert (
        "gold      predicted  entities\n"
        "T3        T4            1,200\n"
        "spurious  T2                8\n"
        "T1        missed            7\n"
    ) in kzoo("evaluate", run_folder).stdout


def test_many_errors_in_a_sentence(kzoo, tagger, run_folder):
    first, _ = tagger.figures["worst"]
    first["wrong"] = first["wrong"] * 2
    tagger.figures |= {"wrong_rows": 1200, "errors": 3400}
    out = kzoo("evaluate", run_folder).stdout
    assert "The 2 sentences with most errors, of 1,200 with any:\n" in out
    assert "  met  – → LOC\n  and 2 more\n" in out
    assert "\nThe most frequent of 3,400 errors:\n" in out


def test_without_entities(kzoo, tagger, run_folder):
    rows, gold, _, _, scores = answers()
    nothing = [["O"] * len(row) for row in gold]
    tagger.figures = {
        **{key: tagger.figures[key] for key in ("run", "source", "task")},
        **tagging_report(rows, nothing, nothing, scores, "iob2", ["O"]),
    }
    result = kzoo("evaluate", run_folder)
    assert result.exit_code == 0
    assert "2 sentences, 9 words, 0 types, 0 errors" in result.stdout
    assert result.stdout.endswith("\nThere are no errors.\n")
    assert "has no value and counts as 0.\n" in result.stderr


def test_without_errors_no_table_of_errors_is_shown(kzoo, tagger, run_folder):
    rows, gold, _, _, scores = answers()
    tagger.figures = {
        **{key: tagger.figures[key] for key in ("run", "source", "task")},
        **tagging_report(rows, gold, gold, scores, "iob2", LABELS, resamples=0),
    }
    out = kzoo("evaluate", run_folder).stdout
    assert "\nPER      1.0000  1.0000  1.0000  1.0000     3          3\n" in out
    assert out.endswith("\n\nThere are no errors.\n")
    assert not {"average", "match", "gold \\"} & set(
        out.replace("  ", "\n").split("\n")
    )


def test_averages_that_differ_are_shown_both_ways(kzoo, tagger, run_folder):
    tagger.figures["averages"]["strict"]["micro"]["f1"] = 0.25
    out = kzoo("evaluate", run_folder).stdout
    assert "\naverage           precision  recall      f1\nmicro  " in out
    assert "\nmicro, strict        0.0000  0.0000  0.2500\n" in out


@pytest.mark.parametrize("width", [40, 100])
def test_what_is_said_of_a_comparison_fits_the_screen(
    kzoo, tagger, run_folder, monkeypatch, width
):
    monkeypatch.setenv("COLUMNS", str(width))
    out = kzoo("compare", run_folder, run_folder).stdout
    said = out[out.index("Words that") : out.index("test).")]
    assert max(map(len, said.splitlines())) <= width
    assert "a probability of 0.0625 (McNemar's exact" in said.replace("\n", " ")


def test_report_and_json(kzoo, tagger, run_folder, tmp_path):
    result = kzoo("evaluate", run_folder, "--html", "report.html", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == tagger.figures
    assert "Nearly found" in tmp_path.joinpath("report.html").read_text()


def test_compare(kzoo, tagger, run_folder):
    result = kzoo("compare", run_folder, "zoo:text_classifier")
    assert (result.exit_code, result.stdout) == (0, COMPARED)
    assert result.stderr == "Note: they differ.\n"


def test_compare_says_what_it_leaves_out(kzoo, tagger, run_folder):
    tagger.compared["found"]["only_second"] = 1234
    out = kzoo("compare", run_folder, run_folder).stdout
    assert "Gold entities that only B finds, 4 of 1,234:\n" in out


@pytest.mark.parametrize("name", ["bio", "BIO"])
def test_bio_is_another_name_of_iob2(kzoo, fake, run_folder, tmp_path, name):
    tmp_path.joinpath("rows.conll").write_text("Jo B-PER\n")
    kzoo("evaluate", run_folder, "--data", "rows.conll", "--scheme", name)
    assert fake.calls[0][1]["scheme"] == "iob2"
