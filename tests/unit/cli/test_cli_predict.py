"""predict: every text gets one line, in order, wherever it comes from."""

import csv
import gzip
import json

import pytest

ZOO = "zoo:text_classifier"


def lines_of(result):
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_arguments(kzoo, fake):
    result = kzoo("predict", ZOO, "Good!", "Bad.", "--batch-size", 2)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "positive  0.750  Good!\nnegative  0.875  Bad.\n"
    assert fake.calls == [ZOO]
    assert fake.model.batch_size == 2


def test_truncated_texts_are_counted(kzoo, fake):
    result = kzoo("predict", ZOO, "Good!", "Much too long.")
    assert result.stderr == "1 of 2 texts were cut: the model reads 10 tokens.\n"


def test_table_fits_the_screen(kzoo, fake, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    result = kzoo("predict", ZOO, "word " * 20, "漢" * 40, "a\n\tb\x1b[31m\x07c")
    assert result.stdout == (
        "negative  0.875  word word word word wo…\n"
        "negative  0.875  " + "漢" * 11 + "…\n"
        "negative  0.875  a b [31m c\n"
    )


def test_json_is_complete(kzoo, fake):
    text = "A “long” text\nof 😀 two lines"
    assert lines_of(kzoo("predict", ZOO, text, "", "--json")) == [
        {
            "text": text,
            "label": "negative",
            "probabilities": {"negative": 0.875, "positive": 0.125},
            "truncated": True,
        },
        {
            "text": "",
            "label": "negative",
            "probabilities": {"negative": 0.875, "positive": 0.125},
            "truncated": False,
        },
    ]


LINES = "one\n\n  \r\nf\u2028our\x0c!\nlast"
TEXTS = ["one", "", "  ", "f\u2028our\x0c!", "last"]


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("option", [[], ["--input", "-"]])
def test_stdin(kzoo, fake, option, end):
    result = kzoo("predict", ZOO, "--json", *option, input=LINES + end)
    lines = lines_of(result)
    assert [line["text"] for line in lines] == TEXTS
    assert [line["line"] for line in lines] == [1, 2, 3, 4, 5]
    assert "2 of 5 texts are blank.\n" in result.stderr


def test_stdin_without_a_line(kzoo, fake):
    result = kzoo("predict", ZOO, input="")
    assert (result.exit_code, result.output) == (0, "")


FILES = {
    "lines.txt": (LINES, [], TEXTS),
    "bom.txt": ("\ufeffone\n", [], ["one"]),
    "rows.csv": (
        'id,text\n1,one\n2,"two, or\nmore"\n\n3,\n', [], ["one", "two, or\nmore", ""],
    ),
    "rows.tsv": ("review\tid\na, b\t1\n", ["--text", "review"], ["a, b"]),
    "rows.jsonl": ('{"text": "one"}\n\n{"text": ""}\n', [], ["one", ""]),
    "long.csv": ("text\n" + "x" * 200_000 + "\n", [], ["x" * 200_000]),
    "odd.dat": ("text\none\n", ["--format", "csv"], ["one"]),
}  # fmt: skip


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_file(kzoo, fake, tmp_path, name, packed):
    content, options, texts = FILES[name]
    content = content.encode()
    if packed:
        content, name = gzip.compress(content), f"{name}.gz"
    tmp_path.joinpath(name).write_bytes(content)
    result = kzoo("predict", ZOO, "--json", "--input", name, *options)
    assert [line["text"] for line in lines_of(result)] == texts


def test_several_files_and_patterns(kzoo, fake, tmp_path):
    for name in ("b.csv", "a.csv", "c.txt"):
        tmp_path.joinpath(name).write_text(f"text\n{name}\n")
    result = kzoo("predict", ZOO, "--json", "--input", "*.csv", "--input", "c.txt")
    found = [(line["file"], line["line"], line["text"]) for line in lines_of(result)]
    assert found == [
        ("a.csv", 2, "a.csv"),
        ("b.csv", 2, "b.csv"),
        ("c.txt", 1, "text"),
        ("c.txt", 2, "c.txt"),
    ]


BROKEN = {
    "rows.csv": (
        b"id,text\n1,one!\n2,two,too\n3,\xe9t\xe9\n4,four\n",
        [
            "rows.csv, line 3: the row has 3 fields where the header has 2; put a text "
            "with commas in double quotes.",
            "rows.csv, line 4: the byte 0xe9 is not UTF-8; say what the file is with "
            "--encoding latin-1, or save it as UTF-8.",
        ],
        ["one!", "four"],
    ),
    "rows.jsonl": (
        b'{"text": "one"}\n{"text": "\\ud800"}\n{"text": 3}\n{\n{"text": "five"}\n',
        [
            "rows.jsonl, line 2: this is not Unicode text.",
            'rows.jsonl, line 3: "text" is a number; a text must be a string.',
            "rows.jsonl, line 4: this is not JSON (Expecting property name enclosed in "
            "double quotes: line 1 column 2 (char 1)); JSONL has one object on each "
            "line.",
        ],
        ["one", "five"],
    ),
    "rows.txt": (
        b"one\ntwo\n\xe9\nfour\n",
        [
            "rows.txt, line 3: the byte 0xe9 is not UTF-8; say what the file is with "
            "--encoding latin-1, or save it as UTF-8."
        ],
        ["one", "two", "four"],
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_rows_are_named_and_counted(kzoo, fake, tmp_path, name):
    content, sentences, texts = BROKEN[name]
    tmp_path.joinpath(name).write_bytes(content)
    result = kzoo("predict", ZOO, "--json", "--input", name)
    assert [line["text"] for line in lines_of(result)] == texts
    said = [f"Skipped: {one}" for one in sentences]
    assert result.stderr.splitlines() == [
        *said,
        f"{len(sentences)} of {len(sentences) + len(texts)} rows cannot be read and "
        "were skipped; --strict ends at the first.",
    ]


@pytest.mark.parametrize("name", BROKEN)
def test_strict_ends_at_the_first_broken_row(kzoo, fake, tmp_path, name):
    content, sentences, _ = BROKEN[name]
    tmp_path.joinpath(name).write_bytes(content)
    options = ["--input", name, "--strict", "--output", "answers.csv"]
    result = kzoo("predict", ZOO, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {sentences[0]}\n"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_many_broken_rows_are_counted(kzoo, fake, tmp_path):
    lines = ["text", "good"] + ["a,b"] * 25
    tmp_path.joinpath("rows.csv").write_text("\n".join(lines))
    result = kzoo("predict", ZOO, "--json", "--input", "rows.csv")
    assert len(lines_of(result)) == 1
    assert result.stderr.count("Skipped: rows.csv, line ") == 10
    assert "Skipped: more rows, which are counted only.\n25 of 26 rows" in result.stderr


def test_no_row_can_be_read(kzoo, fake, tmp_path):
    tmp_path.joinpath("rows.jsonl").write_text("one\ntwo\n")
    options = ["--input", "rows.jsonl", "--output", "answers.csv"]
    result = kzoo("predict", ZOO, *options)
    assert result.exit_code == 2
    assert result.stderr.endswith(
        "Error: none of the 2 rows can be read; nothing was written.\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]


def test_a_mistake_in_the_header(kzoo, fake, tmp_path):
    tmp_path.joinpath("a.csv").write_text("id,txet\n1,a\n")
    for options, column, key in (
        ([], "text", "text"),
        (["--text", "txet", "--keep", "idd"], "idd", "keep"),
    ):
        result = kzoo("predict", ZOO, "--input", "a.csv", *options)
        assert (result.exit_code, result.stdout) == (2, "")
        near = {"text": "txet", "idd": "id"}[column]
        assert result.stderr == (
            f'Error: a.csv, line 1: there is no column "{column}"; did you mean '
            f'"{near}"? The columns are "id", "txet"; choose one with --{key} COLUMN.\n'
        )
    assert fake.calls == [], "no model is loaded for nothing"


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


def test_output_that_fails_is_absent(kzoo, fake, tmp_path, monkeypatch):
    def fails(texts, batch_size):
        raise RuntimeError("out of luck")

    monkeypatch.setattr(fake.model, "classify", fails)
    result = kzoo("predict", ZOO, "a", "--output", "answers.csv")
    assert result.exit_code == 1
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
    ],
)
def test_options_that_disagree(kzoo, fake, options, sentence):
    result = kzoo("predict", ZOO, "a", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {sentence}")


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["--input", "none.txt"], "none.txt: there is no such file."),
        (
            ["a", "--input", "x.txt"],
            "give texts or --input, not both. `kzoo predict --help` says more.",
        ),
        (
            ["a", "--text", "review"],
            "--text names a column of .csv, .tsv, .jsonl, .ndjson, .parquet files. "
            "`kzoo predict --help` says more.",
        ),
        (
            ["--input", "lines.txt", "--text", "review"],
            "--text names a column of .csv, .tsv, .jsonl, .ndjson, .parquet files. "
            "`kzoo predict --help` says more.",
        ),
        (["a", "\udce9"], "text 2 of the arguments is not Unicode text."),
    ],
)
def test_mistake_in_the_arguments(kzoo, fake, tmp_path, arguments, sentence):
    tmp_path.joinpath("lines.txt").touch()
    result = kzoo("predict", ZOO, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {sentence}\n"


def test_terminal_without_texts(kzoo, fake, monkeypatch):
    class Terminal:
        def isatty(self):
            return True

    monkeypatch.setattr("click.get_text_stream", lambda name: Terminal())
    result = kzoo("predict", ZOO)
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: there is no text; name some, or a file with --input. "
        "`kzoo predict --help` says more.\n"
    )
