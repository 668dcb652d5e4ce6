"""predict: every text gets one line, in order, wherever it comes from."""

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


def test_a_text_that_is_the_name_of_a_file_is_said(kzoo, fake, tmp_path):
    tmp_path.joinpath("mine.txt").write_text("Good!")
    result = kzoo("predict", ZOO, "mine.txt", "Bad.", ".", "x" * 5000)
    assert result.stderr.splitlines()[0] == (
        "mine.txt is read as a text; to read the file, use --input mine.txt"
    )
    assert result.stdout.splitlines()[0] == "negative  0.875  mine.txt"
    assert "is read as a text" not in result.stderr.partition("\n")[2]


def test_truncated_texts_are_counted(kzoo, fake):
    result = kzoo("predict", ZOO, "Good!", "Much too long.")
    assert result.stderr == "1 of 2 texts was cut: the model reads 10 tokens.\n"


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "1 of 1 text is blank."),
        ("Much too long.", "1 of 1 text was cut: the model reads 10 tokens."),
    ],
)
def test_one_text_is_counted_in_the_singular(kzoo, fake, text, sentence):
    assert kzoo("predict", ZOO, text, "--json").stderr == f"{sentence}\n"


def test_one_answer_and_one_broken_row(kzoo, fake, tmp_path):
    tmp_path.joinpath("rows.csv").write_text("id,text\n1\n2,b\n")
    result = kzoo("predict", ZOO, "--input", "rows.csv", "--output", "a.csv")
    assert result.stderr == (
        "Skipped: rows.csv, line 2: the row has 1 field where the header has 2; put a "
        "text with commas in double quotes.\n"
        "1 of 2 rows cannot be read and was skipped; --strict ends at the first.\n"
        "Wrote 1 answer to a.csv\n"
    )
    tmp_path.joinpath("rows.csv").write_text("id,text\n1\n")
    result = kzoo("predict", ZOO, "--input", "rows.csv")
    assert result.stderr.endswith(
        "Error: the only row cannot be read; nothing was written.\n"
    )


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
    "quote.csv": (
        b'id,text\n1,one!\n2,"two\n3,three\n4,\xe9t\xe9\n5,five\n',
        [
            "quote.csv, line 3: the quotes of the row that starts here do not pair up "
            "(unexpected end of data); put the text in double quotes and double those "
            "inside it.",
            "quote.csv, line 5: the byte 0xe9 is not UTF-8; say what the file is with "
            "--encoding latin-1, or save it as UTF-8.",
        ],
        ["one!", "three", "five"],
    ),
    "rows.jsonl": (
        b'{"text": "one"}\n{"text": "\\ud800"}\n{"text": 3}\n{\n{"text": "five"}\n',
        [
            'rows.jsonl, line 2: the text in "text" is not Unicode text: it holds half '
            "a character.",
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
    was = "was" if len(sentences) == 1 else "were"
    assert result.stderr.splitlines() == [
        *said,
        f"{len(sentences)} of {len(sentences) + len(texts)} rows cannot be read and "
        f"{was} skipped; --strict ends at the first.",
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
        result = kzoo("predict", ZOO, "--input", "a.csv", "--json", *options)
        assert (result.exit_code, result.stdout) == (2, "")
        near = {"text": "txet", "idd": "id"}[column]
        assert result.stderr == (
            f'Error: a.csv, line 1: there is no column "{column}"; did you mean '
            f'"{near}"? The columns are "id", "txet"; choose one with --{key} COLUMN.\n'
        )
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
