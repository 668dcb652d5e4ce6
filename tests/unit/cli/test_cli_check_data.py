"""kzoo check-data: what it prints, for people and for machines, and how it ends."""

import json
import subprocess
import sys

import pytest

ROWS = """\
text,label
Warm soup.,good
"Cold,
grey soup.",bad
warm soup,bad
Fresh bread.,good
Stale bread and a very long story about it that never seems to end.,bad
"""
TEST = "text,label\nFresh bread.,good\n,bad\nFine,Good\n"


PRINTED = """
                   train      dev    test
rows                   5        2       3
  bad                  3        1       1
  good                 2        1       1
  Good                 0        0       1
tokens, median         5        3       3
  90 %                17        3       5
  95 %                17        3       5
  99 %                17        3       5
  longest             17        3       5
cut at 12 tokens  20.0 %    0.0 %   0.0 %
unknown tokens     0.0 %  100.0 %  25.0 %

test: 1 of 3 texts is empty
  test line 3

train: 1 text repeats an earlier one but for case, spacing and punctuation
  train line 2, line 5  Warm soup.

test: 1 text is in train too
  train line 6, test line 2  Fresh bread.

train: 1 text has different labels but for case, spacing and punctuation
  train line 2 good, line 5 bad  Warm soup.

test: the label "Good" (1 row) does not occur in train; did you mean "good"?
  test line 4  Fine

train: 1 of 5 texts is longer than 12 tokens and is cut
  train line 7  Stale bread and a very long story about it that never seems to …

dev: 2 of 2 texts hold no token that is known
  dev line 2  Milk
  dev line 3  Tea

test: 1 of 3 texts holds no token that is known
  test line 4  Fine
"""


@pytest.fixture
def corpus(tmp_path):
    """Options that put three small files in the place of the recipe's rows."""
    tmp_path.joinpath("train.csv").write_text(ROWS)
    tmp_path.joinpath("dev.csv").write_text("text,label\nMilk,good\nTea,bad\n")
    tmp_path.joinpath("test.csv").write_text(TEST)
    files = [f"data.{split}={split}.csv" for split in ("train", "dev", "test")]
    other = ["tokenizer.min_frequency=1", "data.sequence_length=12"]
    return [part for text in files + other for part in ("--set", text)]


def test_for_people(kzoo, corpus, tmp_path):
    result = kzoo("check-data", "text_classifier", *corpus)
    assert (result.exit_code, result.stderr) == (0, "")
    files = "".join(f"{s}: {tmp_path}/{s}.csv\n" for s in ("train", "dev", "test"))
    assert result.output == files + PRINTED


def test_for_machines(kzoo, corpus, tmp_path):
    result = kzoo("check-data", "text_classifier", *corpus, "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 0 and report["recipe"] == "text_classifier"
    assert report["splits"]["train"]["labels"] == {"bad": 3, "good": 2}
    kinds = {(f["kind"], *f["splits"]) for f in report["findings"]}
    assert {
        ("empty", "test"),
        ("shared", "train", "test"),
        ("conflict", "train"),
        ("unseen_label", "test"),
        ("truncated", "train"),
        ("unknown", "dev"),
    } <= kinds
    [leak] = [f for f in report["findings"] if f["kind"] == "shared"]
    assert [(row["split"], row["line"]) for row in leak["groups"][0]] == [
        ("train", 6),
        ("test", 2),
    ]
    assert leak["groups"][0][1]["file"] == str(tmp_path / "test.csv")


@pytest.mark.parametrize("columns", [20, 33, 50, 80, 200])
def test_fits_any_screen(kzoo, corpus, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = kzoo("check-data", "text_classifier", *corpus).output.splitlines()
    assert max(map(len, lines)) <= columns


def test_as_many_rows_as_asked_for(kzoo, corpus):
    few = kzoo("check-data", "text_classifier", *corpus, "--rows", "1").output
    assert "and 1 more; --rows lists them" in few
    none = kzoo("check-data", "text_classifier", *corpus, "--rows", "0").output
    assert "train line" not in none and "--rows" not in none


def test_strict_ends_with_1_if_there_is_a_fault(kzoo, corpus):
    for options in ([], ["--json"]):
        result = kzoo("check-data", "text_classifier", *corpus, "--strict", *options)
        assert result.exit_code == 1
        assert result.stderr == (
            "Error: --strict: 5 of 8 findings are faults "
            "(empty, repeated, shared, conflict, unseen label).\n"
        )


def test_rows_that_were_split_off_by_hash_are_said_to_be(kzoo, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")
    rows = "".join(f"text {n},{n % 2}\n" for n in range(200))
    tmp_path.joinpath("rows.csv").write_text("text,label\n" + rows)
    tmp_path.joinpath("test.csv").write_text('text,label\n"",1\n')
    files = ["--set", "data.train=rows.csv", "--set", "data.test=test.csv"]
    result = kzoo("check-data", "text_classifier", *files, "--strict")
    assert result.stdout.splitlines()[:3] == [
        f"train: {tmp_path}/rows.csv",
        f"dev: {tmp_path}/rows.csv, split off train by the hash of each text",
        f"test: {tmp_path}/test.csv",
    ]
    assert result.exit_code == 1
    assert "findings is a fault (empty).\n" in result.stderr
    report = json.loads(kzoo("check-data", "text_classifier", *files, "--json").stdout)
    hashed = {name: split["hashed"] for name, split in report["splits"].items()}
    assert hashed == {"train": False, "dev": True, "test": False}


def test_strict_forgives_what_is_no_fault(kzoo):
    """The reviews that ship with kzoo: some are long, none is repeated or empty."""
    result = kzoo("check-data", "text_classifier", "--strict")
    assert result.exit_code == 0
    assert "18 of 5,100 texts are longer than 64 tokens" in result.output


@pytest.mark.parametrize(
    "rows, sentence",
    {
        "one label": (
            "text,label\n" + "".join(f"text {n},x\n" for n in range(99)),
            'every training row has the label "x"',
        ),
        "no label": ("text,label\na,\n", 'line 2: the label in "label" is empty'),
        "no column": ("texts,label\na,x\n", 'there is no column "text"'),
        "no rows": ("text,label\n", "the file has no rows"),
    }.values(),
)
def test_rows_that_cannot_be_used(kzoo, tmp_path, rows, sentence):
    tmp_path.joinpath("rows.csv").write_text(rows)
    result = kzoo("check-data", "text_classifier", "--set", "data.train=rows.csv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr and len(result.stderr.splitlines()) == 1


def test_files_that_are_not_there_and_folders(kzoo, tmp_path):
    tmp_path.joinpath("mine.csv").write_text(ROWS)
    tmp_path.joinpath("rows").mkdir()
    at = tmp_path
    for file, sentence in {
        "mien.csv": f"{at}/mien.csv: there is no such data file; did you mean "
        '"mine.csv"?',
        "rows": f"{at}/rows is a folder; name a file in it, or many as in "
        f"{at}/rows/*.csv.",
    }.items():
        result = kzoo("check-data", "text_classifier", "--set", f"data.train={file}")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == f"Error: {sentence}\n"


@pytest.mark.parametrize("command", ["train", "check-data", "show", "validate"])
@pytest.mark.parametrize("name", ["mine.csv", "mine.jsonl.gz"])
def test_rows_in_the_place_of_a_recipe(kzoo, tmp_path, command, name):
    tmp_path.joinpath(name).write_text(ROWS)
    result = kzoo(command, name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"Error: {name} holds data and is no recipe; use it with one, as in "
        f"`kzoo train text_classifier --set data.train={name}`.\n"
    )


LOOK = """
import sys
from kzoo_cli.main import main
try:
    main(["check-data", sys.argv[1]])
finally:
    heavy = {"keras", "tensorflow", "torch", "jax", "kzoo"}
    print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


PRETRAINED = """
task = "text_classifier"
[data]
source = "kzoo:reviews"
[model]
pretrained = "zoo:text_classifier"
"""


@pytest.mark.parametrize("recipe", ["text_classifier", "mine.toml"])
def test_no_framework_is_started_and_kzoo_can_be_imported_afterwards(tmp_path, recipe):
    """Nor is one by the tokenizer of a pretrained encoder."""
    (tmp_path / "mine.toml").write_text(PRETRAINED)
    look = [sys.executable, "-c", LOOK, recipe]
    done = subprocess.run(look, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "[]\n")
