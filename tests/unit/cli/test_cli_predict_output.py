"""predict: what it writes, where, and what it keeps of the input."""

import csv
import json

import pytest

ZOO = "zoo:text_classifier"


def lines_of(result):
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


ROWS = 'id,text,label,note\n7,Good!,pos,"a, b"\n8,"Bad\nday",neg,\n'


@pytest.mark.parametrize("ending, delimiter", [("csv", ","), ("tsv", "\t")])
def test_csv_out(kzoo, fake, tmp_path, ending, delimiter):
    tmp_path.joinpath("rows.csv").write_text(ROWS)
    target = f"answers.{ending}"
    options = ["--input", "rows.csv", "--keep", "all", "--output", target]
    result = kzoo("predict", ZOO, *options)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"Wrote 2 answers to {target}\n"
    with tmp_path.joinpath(target).open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter=delimiter))
    assert rows[0] == {
        "id": "7",
        "input_label": "pos",
        "note": "a, b",
        "line": "2",
        "text": "Good!",
        "label": "positive",
        "probability_negative": "0.25",
        "probability_positive": "0.75",
        "truncated": "false",
    }
    assert (rows[1]["text"], rows[1]["id"], rows[1]["note"]) == ("Bad\nday", "8", "")


def test_csv_can_be_read_back(kzoo, fake, tmp_path):
    texts = ["a\rb", "a\nb", "a\r\nb", 'a "b", c', "\r", "", " a", "'"]
    lines = [json.dumps({"text": text, "a\rb": text[::-1]}) for text in texts]
    tmp_path.joinpath("rows.jsonl").write_text("\n".join(lines))
    options = ["--input", "rows.jsonl", "--keep", "all", "--output", "answers.csv"]
    assert kzoo("predict", ZOO, *options).exit_code == 0
    with tmp_path.joinpath("answers.csv").open(newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    read = [(row["text"], row["a\rb"]) for row in rows]
    assert read == [(text, text[::-1]) for text in texts]
    again = kzoo("predict", ZOO, "--input", "answers.csv", "--json")
    assert [line["text"] for line in lines_of(again)] == texts


@pytest.mark.parametrize("names, place", [(["a"], "line"), (["a", "b"], "file,line")])
def test_csv_without_rows_has_its_header(kzoo, fake, tmp_path, names, place):
    for name in names:
        tmp_path.joinpath(f"{name}.csv").write_text("text\n")
    files = [part for name in names for part in ("--input", f"{name}.csv")]
    result = kzoo("predict", ZOO, *files, "--output", "answers.csv")
    assert result.stderr == "Wrote 0 answers to answers.csv\n"
    columns = "text,label,probability_negative,probability_positive,truncated"
    assert tmp_path.joinpath("answers.csv").read_bytes() == (
        f"{place},{columns}\n".encode()
    )


def test_a_file_name_that_is_no_text(kzoo, fake, tmp_path):
    odd = b"a\xff.txt".decode("utf-8", "surrogateescape")
    for name in (odd, "b.txt"):
        tmp_path.joinpath(name).write_text("x\n")
    options = ["--input", odd, "--input", "b.txt", "--output", "answers.jsonl"]
    assert kzoo("predict", ZOO, *options).exit_code == 0
    lines = tmp_path.joinpath("answers.jsonl").read_text().splitlines()
    assert [json.loads(line)["file"] for line in lines] == ["a\ufffd.txt", "b.txt"]


def test_jsonl_out_with_some_columns(kzoo, fake, tmp_path):
    written = {"text": "Good!", "id": 7, "meta": {"a": [1, None]}, "label": "x"}
    tmp_path.joinpath("rows.jsonl").write_text(json.dumps(written) + "\n")
    options = ["--input", "rows.jsonl", "--keep", "id, meta,label"]
    kzoo("predict", ZOO, *options, "--output", "answers.jsonl")
    [line] = tmp_path.joinpath("answers.jsonl").read_text().splitlines()
    assert json.loads(line) == {
        "id": 7,
        "meta": {"a": [1, None]},
        "input_label": "x",
        "line": 1,
        "text": "Good!",
        "label": "positive",
        "probabilities": {"negative": 0.25, "positive": 0.75},
        "truncated": False,
    }


def test_a_key_that_csv_has_no_column_for_is_said(kzoo, fake, tmp_path):
    rows = [{"text": "a", "id": 1}, {"text": "b", "new": 2}, {"text": "c", "new": 3}]
    tmp_path.joinpath("rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    options = ["--input", "rows.jsonl", "--keep", "all", "--as", "csv"]
    result = kzoo("predict", ZOO, *options)
    found = list(csv.DictReader(result.stdout.splitlines()))
    assert [row["id"] for row in found] == ["1", "", ""]
    assert result.stderr == (
        '"new" was left out of 2 rows: the first row lacks it, so there is no column '
        "for it. JSONL holds it.\n"
    )


def test_several_labels(kzoo, fake, monkeypatch):
    chances = {"negative": 0.625, "positive": 0.75}
    given = [["negative", "positive"], []]
    monkeypatch.setattr(
        fake.model,
        "classify",
        lambda texts, batch_size: [
            {"labels": one, "probabilities": chances, "truncated": False}
            for one in given
        ],
    )
    result = kzoo("predict", ZOO, "both", "none")
    assert (
        result.stdout
        == "negative + positive  0.750  both\n–                    0.750  none\n"
    )
    lines = lines_of(kzoo("predict", ZOO, "both", "none", "--json"))
    assert [line["labels"] for line in lines] == given
    result = kzoo("predict", ZOO, "both", "none", "--as", "csv")
    rows = list(csv.DictReader(result.stdout.splitlines()))
    assert [row["label"] for row in rows] == ["negative|positive", ""]


def test_chunks_are_bounded_and_in_order(kzoo, fake, tmp_path, monkeypatch):
    monkeypatch.setattr("kzoo_cli.streaming.CHUNK", 64)
    texts = [f"text {row}" for row in range(1000)]
    tmp_path.joinpath("rows.txt").write_text("\n".join(texts))
    result = kzoo("predict", ZOO, "--input", "rows.txt", "--json")
    assert [line["text"] for line in lines_of(result)] == texts
    assert fake.model.chunks == [64] * 15 + [40]


def test_a_chunk_of_long_texts_is_short(kzoo, fake, tmp_path, monkeypatch):
    monkeypatch.setattr("kzoo_cli.streaming.CHARACTERS", 1000)
    tmp_path.joinpath("rows.txt").write_text(("x" * 400 + "\n") * 7)
    assert len(lines_of(kzoo("predict", ZOO, "--input", "rows.txt", "--json"))) == 7
    assert fake.model.chunks == [3, 3, 1]


def test_output_is_replaced_only_by_force(kzoo, fake, tmp_path):
    target = tmp_path / "answers.jsonl"
    target.write_text("mine")
    result = kzoo("predict", ZOO, "a", "--output", target)
    assert result.exit_code == 2
    assert result.stderr == f"Error: {target} is there already; --force replaces it.\n"
    assert (target.read_text(), fake.calls) == ("mine", [])
    assert kzoo("predict", ZOO, "a", "--output", target, "--force").exit_code == 0
    assert json.loads(target.read_text())["text"] == "a"


@pytest.mark.parametrize(
    "error, code", [(RuntimeError("out of luck"), 1), (KeyboardInterrupt(), 130)]
)
def test_output_that_fails_is_absent(kzoo, fake, tmp_path, monkeypatch, error, code):
    def fails(texts, batch_size):
        raise error

    monkeypatch.setattr(fake.model, "classify", fails)
    result = kzoo("predict", ZOO, "a", "--output", "answers.csv")
    assert result.exit_code == code
    assert list(tmp_path.iterdir()) == []


def test_output_may_be_a_device(kzoo, fake):
    result = kzoo(
        "predict", ZOO, "a", "--output", "/dev/null", "--as", "csv", "--force"
    )
    assert (result.exit_code, result.stdout) == (0, "")


@pytest.mark.parametrize(
    "options, sentence",
    [
        (["--output", "a.txt"], "the ending of a.txt does not tell the format"),
        (["--json", "--as", "csv"], "--json and --as csv ask for two formats."),
        (["--keep", "id"], "--keep names a column of .csv"),
        (["--format", "csv"], "--format says how a file is read, and the texts are"),
        (["--encoding", "latin-1"], "--encoding says how a file is read, and the"),
    ],
)
def test_options_that_disagree(kzoo, fake, options, sentence):
    result = kzoo("predict", ZOO, "a", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {sentence}")


def test_progress_of_a_long_stream(kzoo, fake, tmp_path, monkeypatch):
    clock = iter(range(0, 10_000, 4))  # seconds; time flies
    monkeypatch.setattr("kzoo_cli.streaming.time.monotonic", lambda: next(clock))
    monkeypatch.setattr("kzoo_cli.streaming.CHUNK", 10)
    tmp_path.joinpath("rows.txt").write_text("x\n" * 95)
    options = ["--input", "rows.txt", "--output", "answers.jsonl"]
    lines = kzoo("predict", ZOO, *options).stderr.splitlines()
    assert lines == [
        "30 rows, 2 a second",
        "60 rows, 2 a second",
        "90 rows, 2 a second",
        "Wrote 95 answers to answers.jsonl",
    ]


@pytest.mark.parametrize(
    "file, options, sentence",
    [
        ("a.txt", ["--keep", "id", "--json"], "--keep names a column of .csv"),
        (
            "a.csv",
            ["--keep", "all"],
            "--keep hands columns on with JSONL and CSV; ta",
        ),
        (
            "a.jsonl",
            ["--keep", "id", "--as", "conll", "--by-word"],
            "--keep hands columns on with JSONL and CSV; conll has no place for them",
        ),
        (
            "a.conll",
            ["--text", "word"],
            "--text names a column of texts, and CoNLL h",
        ),
        ("a.tsv", ["--delimiter", ";"], "--delimiter is of use with CSV only."),
        ("a.csv", ["--delimiter", ";", "--format", "jsonl"], "--delimiter is of use"),
        (
            "a.txt",
            ["--output", "a.html", "--as", "csv", "--html", "./a.html", "--force"],
            "--output and --html both name a.html; give each a file of its own.",
        ),
    ],
)
def test_nothing_is_ignored(kzoo, tagger, tmp_path, file, options, sentence):
    tmp_path.joinpath(file).touch()
    result = kzoo("predict", ZOO, "--input", file, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {sentence}")
    assert [path.name for path in tmp_path.iterdir()] == [file]


def test_a_device_takes_answers_and_page(kzoo, tagger):
    options = ["--output", "/dev/null", "--html", "/dev/null", "--as", "csv", "--force"]
    assert kzoo("predict", ZOO, "a", *options).exit_code == 0
