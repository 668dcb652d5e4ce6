"""predict: every text gets one line, in order, wherever it comes from."""

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
    assert [line["text"] for line in lines_of(result)] == TEXTS


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
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_file(kzoo, fake, tmp_path, name):
    content, options, texts = FILES[name]
    tmp_path.joinpath(name).write_bytes(content.encode())
    result = kzoo("predict", ZOO, "--json", "--input", name, *options)
    assert [line["text"] for line in lines_of(result)] == texts


MISTAKES = {
    "a.csv": (
        b"id,txet\n1,a\n",
        'a.csv, line 1: there is no column "text"; did you mean "txet"? '
        'The columns are "id", "txet"; choose one with --text COLUMN.',
    ),
    "b.jsonl": (b'{"text": "\\ud800"}\n', "text 1 of b.jsonl is not Unicode text."),
    "c.txt": (
        b"one\ntwo\n\xe9\n",
        "c.txt, line 3: the byte 0xe9 is not UTF-8; say what the file is with "
        "--encoding latin-1, or save it as UTF-8.",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_in_the_file(kzoo, fake, tmp_path, name):
    content, sentence = MISTAKES[name]
    tmp_path.joinpath(name).write_bytes(content)
    result = kzoo("predict", ZOO, "--input", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {sentence}\n"
    assert fake.calls == [], "no model is loaded for nothing"


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
