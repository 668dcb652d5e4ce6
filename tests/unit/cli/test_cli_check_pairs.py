"""kzoo check-data for a summarizer: what it prints, and that Keras stays out of it."""

import json
import re
import subprocess
import sys

import pytest

RECIPE = """
task = "summarizer"
[data]
train = "train.jsonl"
dev = "dev.jsonl"
test = "test.jsonl"
references = "more"
sequence_length = 8
summary_length = 4
truncate = "tail"
[tokenizer]
kind = "word"
min_frequency = 1
[model.encoder]
num_layers = 1
num_heads = 2
hidden_dim = 8
intermediate_dim = 8
"""
TRAIN = [
    {"document": "Rain fell in Hexby. It was wet.", "summary": "rain in Hexby"},
    {"document": "A dog barks. It is loud.", "summary": "loud dog barks today"},
    {"document": "", "summary": "nothing"},
    {"document": "a DOG barks; it is loud", "summary": "Loud dog"},
]
TEST = [
    {"document": "Rain fell in Hexby. It was wet.", "summary": "wet", "more": ["Rain"]},
]

PRINTED = """\
train: {0}/train.jsonl
  1 row with an empty document was left out (line 3)
dev: {0}/dev.jsonl
test: {0}/test.jsonl

                                train        dev       test
rows                                3          1          1
references                          3          1          2
document tokens, median            10         10         11
  90 %                             11         10         11
  95 %                             11         10         11
  99 %                             11         10         11
  longest                          11         10         11
  cut at 8, tail kept         100.0 %    100.0 %    100.0 %
  unknown                       0.0 %     66.7 %      0.0 %
summary tokens, median              4          2          2
  90 %                              5          2          2
  95 %                              5          2          2
  99 %                              5          2          2
  longest                           5          2          2
  cut at 4                     33.3 %      0.0 %      0.0 %
  unknown                       0.0 %      0.0 %      0.0 %
words for a summary's word        2.3        7.0        7.0
new words                       8.3 %      0.0 %      0.0 %
new pairs                      72.2 %      0.0 %      0.0 %
new triples                   100.0 %      0.0 %      0.0 %
copied at a stretch         1.3 words  1.0 words  1.0 words
F1 of first sentence           64.3 %     50.0 %      0.0 %
"""


@pytest.fixture
def recipe(tmp_path):
    def write(name, rows):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        tmp_path.joinpath(name).write_text(lines)

    write("train.jsonl", TRAIN)
    write("dev.jsonl", [{"document": "Is rain new? O yes it was", "summary": "rain"}])
    write("test.jsonl", TEST)
    tmp_path.joinpath("mine.toml").write_text(RECIPE)
    return str(tmp_path / "mine.toml")


def test_what_is_printed(recipe, kzoo):
    result = kzoo("check-data", recipe, "--rows", "1")
    assert result.exit_code == 0, result.output
    printed = re.sub(
        r":\n(?=/)", ": ", result.stdout
    )  # Long paths have lines of their own.
    assert printed.startswith(PRINTED.format(recipe.removesuffix("/mine.toml")))
    for line in (
        "train: 1 row has an empty document and is left out",
        "  train line 3",
        '  train line 2 "loud dog barks today", line 4 "Loud dog"  A dog barks.',
        "test: 1 document is in train too",
        "  train line 1, test line 1  Rain fell in Hexby. It was wet.",
        "train: 1 of 3 summaries is longer than 4 tokens and is cut",
        "  train line 2 (5 tokens)  loud dog barks today",
    ):
        assert line in result.stdout, result.stdout


def test_json_and_strict(recipe, kzoo):
    result = kzoo("check-data", recipe, "--json", "--strict")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert (report["recipe"], report["truncate"]) == ("mine", "tail")
    assert report["splits"]["train"]["traits"]["rows"] == 3
    [several] = [f for f in report["findings"] if f["kind"] == "several_summaries"]
    [[first, second]] = several["groups"]
    assert first["line"] == 2 and first["summary"] == "loud dog barks today"
    assert second["line"] == 4 and second["text"] == "a DOG barks; it is loud"
    assert "are faults (empty, several summaries, shared)" in result.stderr


def test_an_empty_summary_is_an_error_with_its_line(recipe, kzoo):
    result = kzoo("check-data", recipe, "--set", "data.summary=document")
    assert result.exit_code == 2
    result = kzoo("check-data", recipe, "--set", "data.document=summary", "--set",
                 "data.summary=document", "--set", "data.references=other")  # fmt: skip
    assert result.exit_code == 2
    assert 'train.jsonl, line 3: the summary in "document" is empty;' in result.stderr


def test_no_framework_is_started(recipe):
    program = (
        "import sys\n"
        "from kzoo_cli.main import main\n"
        f"sys.argv = ['kzoo', 'check-data', {recipe!r}]\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    assert not end.code, end.code\n"
        "assert not {'keras', 'torch', 'jax', 'tensorflow'} & {*sys.modules}\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_files_are_named_where_there_are_several(recipe, kzoo, tmp_path):
    tmp_path.joinpath("again.jsonl").write_text(json.dumps(TRAIN[0]) + "\n")
    result = kzoo("check-data", recipe, "--set", "data.train='*n.jsonl'")
    assert result.exit_code == 0, result.output
    line = next(line for line in result.stdout.splitlines() if "again" in line)
    assert line.startswith("  train …")
    assert "/again.jsonl line 1, train …" in line
