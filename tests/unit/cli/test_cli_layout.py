"""--format and --encoding: how files of rows are said to be written."""

import gzip
import json
import sys

import pytest
from kzoo_recipes import dict_of, from_dict, load, to_toml

ZOO = "zoo:text_classifier"
PACKED = {
    "rows.csv.gz": gzip.compress(b"id,text\n1,one\n"),
    "rows.jsonl.gz": gzip.compress(b'{"text": "one"}\n'),
    "lines.txt.gz": gzip.compress(b"one\n"),
    "rows.csv": gzip.compress(b"text\none\n"),
}


@pytest.mark.parametrize("name", PACKED)
def test_predict_unpacks(kzoo, fake, tmp_path, name):
    tmp_path.joinpath(name).write_bytes(PACKED[name])
    result = kzoo("predict", ZOO, "--json", "--input", name)
    assert result.exit_code == 0, result.output
    assert [json.loads(line)["text"] for line in result.stdout.splitlines()] == ["one"]


def test_predict_takes_a_format_and_an_encoding(kzoo, fake, tmp_path):
    tmp_path.joinpath("rows.data").write_bytes(
        "text,n\nÀ la carte,1\n".encode("cp1252")
    )
    options = ["--input", "rows.data", "--format", "csv", "--encoding", "cp1252"]
    result = kzoo("predict", ZOO, "--json", *options)
    assert json.loads(result.stdout)["text"] == "À la carte"
    lines = kzoo("predict", ZOO, "--json", *options[:2], *options[4:])
    assert len(lines.stdout.splitlines()) == 2, "without a format, each line is a text"
    piped = kzoo(
        "predict", ZOO, "--json", "--format", "tsv", "--text", "b", input="a\tb\nx\ty\n"
    )
    assert json.loads(piped.stdout)["text"] == "y"


def test_predict_takes_a_delimiter(kzoo, fake, tmp_path):
    tmp_path.joinpath("rows.csv").write_text("n;text\n1;one, two\n")
    options = ["predict", ZOO, "--json", "--input", "rows.csv"]
    refused = kzoo(*options)
    assert refused.exit_code == 2
    assert refused.stderr.endswith('say so with --delimiter ";".\n')
    result = kzoo(*options, "--delimiter", ";")
    assert json.loads(result.stdout)["text"] == "one, two"


@pytest.fixture
def trained(run_folder):
    """A run whose own rows are German and full of semicolons."""
    data = {"train": "own.csv", "text": "txt", "encoding": "cp1252", "delimiter": ";"}
    recipe = dict_of(load("text_classifier"))
    recipe["data"] = {"sequence_length": 64, **data}
    run_folder.joinpath("recipe.toml").write_text(to_toml(from_dict(recipe)))
    return run_folder


def test_predict_reads_a_file_as_the_recipe_reads_its_own(
    kzoo, fake, trained, tmp_path
):
    rows = "txt;n\nÀ la carte;1\n".encode("cp1252")
    tmp_path.joinpath("rows.csv").write_bytes(rows)
    result = kzoo("predict", trained, "--json", "--input", "rows.csv")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout)["text"] == "À la carte"
    piped = kzoo("predict", trained, "--json", "--format", "csv", input=rows)
    assert json.loads(piped.stdout)["text"] == "À la carte"


def test_what_predict_is_told_wins(kzoo, fake, trained, tmp_path):
    tmp_path.joinpath("rows.csv").write_text("txt,body\n1,Ü\n", "utf-8")
    told = ["--text", "body", "--encoding", "utf-8", "--delimiter", ","]
    result = kzoo("predict", trained, "--json", "--input", "rows.csv", *told)
    assert json.loads(result.stdout)["text"] == "Ü"


def test_lines_are_utf8_whatever_the_recipe_says(kzoo, fake, trained):
    result = kzoo("predict", trained, "--json", input="Ü; ja\n".encode())
    assert json.loads(result.stdout)["text"] == "Ü; ja"


def test_predict_says_that_a_recipe_is_broken(kzoo, fake, run_folder, tmp_path):
    tmp_path.joinpath("rows.csv").write_text("text\none\n")
    result = kzoo("predict", run_folder, "--json", "--input", "rows.csv")
    assert (result.exit_code, json.loads(result.stdout)["text"]) == (0, "one")
    assert result.stderr.startswith(
        "Note: columns are not looked for as in the run's recipe: "
    )


def test_predict_on_an_encoding_that_is_none(kzoo, fake, tmp_path):
    tmp_path.joinpath("rows.csv").touch()
    result = kzoo("predict", ZOO, "--input", "rows.csv", "--encoding", "latin-2x")
    assert result.exit_code == 2
    assert result.stderr == (
        'Error: there is no encoding "latin-2x"; did you mean "latin-1"?\n'
    )


def test_evaluate_hands_on_what_was_said_of_the_file(kzoo, fake, run_folder, tmp_path):
    tmp_path.joinpath("rows.data").touch()
    options = ["--data", "rows.data", "--format", "tsv", "--encoding", "latin-1"]
    assert kzoo("evaluate", run_folder, *options).exit_code == 0
    _, arguments = fake.calls[-1]
    assert (arguments["format"], arguments["encoding"]) == ("tsv", "latin-1")


def test_evaluate_needs_a_file_to_say_it_of(kzoo, fake, run_folder):
    result = kzoo("evaluate", run_folder, "--encoding", "latin-1", "--label", "y")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: --label and --encoding would say how the rows of --data are read. "
        "`kzoo evaluate --help` says more.\n"
    )


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_a_split_beside_a_file_is_refused(kzoo, fake, run_folder, tmp_path, command):
    tmp_path.joinpath("rows.csv").touch()
    runs = [run_folder] * (2 if command == "compare" else 1)
    result = kzoo(command, *runs, "--data", "rows.csv", "--split", "test")
    assert (result.exit_code, result.stdout, fake.calls) == (2, "", [])
    assert result.stderr == (
        "Error: --split names rows of the run's own data, and --data other rows; give "
        f"one of them. `kzoo {command} --help` says more.\n"
    )


@pytest.mark.parametrize("data", ["hf:org/name#test[:9]", "rows/*.csv"])
def test_evaluate_takes_rows_that_are_no_file(kzoo, fake, run_folder, data):
    assert kzoo("evaluate", run_folder, "--data", data).exit_code == 0
    _, arguments = fake.calls[-1]
    assert arguments["data"] == data


def test_predict_reads_the_hub(kzoo, fake, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    result = kzoo("predict", ZOO, "--input", "hf:org/name#test[:9]", "--text", "body")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: hf:org/name#test[:9]: the hub is read by the package datasets; "
        '`pip install "kzoo[hub]"` brings it.\n'
    )
