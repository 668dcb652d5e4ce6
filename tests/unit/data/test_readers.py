"""Files of rows: read as Python's csv writes them, refused with their line."""

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kzoo_recipes import KzooError

from kzoo.data import read
from kzoo.data.readers import parse

MANNERS = {"csv": ",", "tsv": "\t"}
field = st.text(
    st.one_of(
        st.sampled_from(' ,\t"\n\r\u2028\x85é🎉'),
        st.characters(exclude_characters="\0", exclude_categories=["Cs"]),
    ),
    max_size=20,
)
label = field.filter(str.strip)


def written(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("format", MANNERS)
@settings(deadline=None)
@given(
    rows=st.lists(st.tuples(field, label), min_size=1),
    ends=st.sampled_from(["\n", "\r\n"]),
)
def test_reads_what_the_csv_module_writes(format, rows, ends):
    file = io.StringIO(newline="")
    manner = {
        "\n": {"quoting": csv.QUOTE_ALL, "lineterminator": "\n"},
        "\r\n": {},  # As spreadsheets write: quotes only where they are needed.
    }
    writer = csv.writer(file, delimiter=MANNERS[format], **manner[ends])
    writer.writerows([("label", "id", "text")])
    writer.writerows((label, place, text) for place, (text, label) in enumerate(rows))
    read_back = parse(file.getvalue().encode(), "rows", format=format)
    assert read_back.texts == [text for text, _ in rows]
    assert read_back.labels == [label.strip() for _, label in rows]


@given(rows=st.lists(st.tuples(field, label), min_size=1), escaped=st.booleans())
def test_reads_what_the_json_module_writes(rows, escaped):
    objects = [{"id": 1, "text": text, "label": label} for text, label in rows]
    lines = [json.dumps(row, ensure_ascii=escaped) for row in objects]
    read_back = parse("\r\n".join(lines).encode(), "rows", format="jsonl")
    assert read_back.texts == [text for text, _ in rows]
    assert read_back.labels == [label.strip() for _, label in rows]
    assert read_back.lines == list(range(1, len(rows) + 1))


def test_csv_lines_are_where_rows_start(tmp_path):
    content = '\ufefftext,label\r\n"one\r\ntwo",a\r\n\r\n"say ""hi"", x",b\r\n,c\r\n'
    rows = read(written(tmp_path, "rows.csv", content))
    assert rows.texts == ["one\r\ntwo", 'say "hi", x', ""]
    assert (rows.labels, rows.lines) == (["a", "b", "c"], [2, 5, 6])
    assert rows.where(1) == f"{tmp_path / 'rows.csv'}, line 5"
    assert len(rows) == 3


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_long_text_is_read_whole(tmp_path, format):
    long, limit = "x " * 500_000, csv.field_size_limit()
    line = {"csv": f"text,label\n{long},a\n", "jsonl": f'{{"text":"{long}","label":1}}'}
    assert read(written(tmp_path, f"rows.{format}", line[format])).texts == [long]
    assert csv.field_size_limit() == limit


def test_columns_and_format_can_be_chosen(tmp_path):
    path = written(tmp_path, "rows.data", " body ,stars\nfine,5\n")
    rows = read(path, text="body", label="stars", format="csv")
    assert (rows.texts, rows.labels) == (["fine"], ["5"])
    alone = read(path, text="body", label=None, format="csv")
    assert (alone.texts, alone.labels) == (["fine"], None)
    assert alone.take([0]).labels is None


@pytest.mark.parametrize("delimiter", list(";|\t ,é"))
def test_what_stands_between_fields_can_be_said(tmp_path, delimiter):
    file = io.StringIO(newline="")
    rows = [("text", "label"), (f"a{delimiter}b,\n", "x"), ("", "y")]
    csv.writer(file, delimiter=delimiter).writerows(rows)
    path = written(tmp_path, "rows.csv", file.getvalue())
    assert read(path, delimiter=delimiter).texts == [f"a{delimiter}b,\n", ""]


@pytest.mark.parametrize("encoding", ["U8", "utf_8", "UTF-8", "cp65001"])
def test_other_names_of_utf_8(encoding):
    content = b"\xef\xbb\xbftext,label\n\xc3\xa9,a\n"
    assert parse(content, "rows", encoding=encoding).texts == ["\xe9"]


@pytest.mark.parametrize("delimiter", ['"', "\n", ";;", ""])
def test_what_cannot_stand_between_fields(delimiter):
    with pytest.raises(KzooError, match="cannot stand between fields; name one char"):
        parse(b"text\nx\n", "rows", delimiter=delimiter)


def test_json_labels_become_strings(tmp_path):
    lines = [f'{{"text": "", "label": {value}}}' for value in ("3", "true", '" b "')]
    rows = read(written(tmp_path, "rows.jsonl", "\n\n".join(lines)))
    assert (rows.labels, rows.lines) == (["3", "true", "b"], [1, 3, 5])


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("a.csv", "", ": the file is empty; its first line must name the columns, for e"
         "xample 'text,label'."),
        ("a.tsv", "\n\n", ": the file is empty; its first line must name the columns, "
         "for example 'text\\tlabel'."),
        ("a.csv", "text,label\n", ": the file has no rows; give it at least one."),
        ("a.csv", "Text,label,n\nx,a,1\n", ', line 1: there is no column "text"; did '
         'you mean "Text"? The columns are "Text", "label", "n"; choose one with --set '
         "data.text=COLUMN."),
        ("a.csv", "text,y\nx,a\n", ', line 1: there is no column "label"; the columns '
         'are "text", "y"; choose one with --set data.label=COLUMN.'),
        ("a.csv", "text,label,text\n", ', line 1: the header names the column "text" '
         "twice; rename one."),
        ("a.csv", 'text,label\n"x\ny",a\nso, so,a\n', ", line 4: the row has 3 fields "
         "where the header has 2; put a text with commas in double quotes."),
        ("a.csv", "text;label\nx;a\n", ', line 1: there is one column, "text;label"; '
         'if semicolons stand between columns, say so with --set data.delimiter=";".'),
        ("a.csv", "text\tlabel\nx\ta\n", ', line 1: there is one column, "text label"; '
         "if tabs stand between columns, say so with --set data.format=tsv."),
        ("a.tsv", "text,label\nx,a\n", ', line 1: there is one column, "text,label"; '
         "if commas stand between columns, say so with --set data.format=csv."),
        ("a.tsv", "text\tlabel\nx\n", ", line 2: the row has 1 field where the header "
         "has 2; put a text with tabs in double quotes."),
        ("a.csv", "text,label\nx,a\ny, \n", ', line 3: the label in "label" is empty; '
         "fill it in or remove the row."),
        ("a.csv", 'text,label\nx,a\n"open,b\ny,c\n', ", line 3: the quotes of the row "
         "that starts here do not pair up (unexpected end of data); put the text in "
         "double quotes and double those inside it."),
        ("a.tsv", 'text\tlabel\n"so" he said\ta\n', ", line 2: the quotes of the row "
         "that starts here do not pair up ('\t' expected after '\"'); put the text in "
         "double quotes and double those inside it."),
        ("a.csv", b"text,label\nx,a\ncaf\xe9,b\n", ", line 3: the byte 0xe9 is not "
         "UTF-8; say what the file is with --set data.encoding=latin-1, or save it as "
         "UTF-8."),
        ("a.csv", "text,label\nx\0,a\n", ", line 2: there is a NUL character, which no "
         "text has; save the file as UTF-8 text."),
        ("a.jsonl", "\n", ": the file has no rows; give it at least one."),
        ("a.jsonl", '{"text": "x", "label": 1}\n{"text": \n', ", line 2: this is not "
         "JSON (Expecting value: line 1 column 10 (char 9)); JSONL has one object on "
         "each line."),
        ("a.jsonl", '["x", "a"]', ', line 1: the line holds a list, not an object like '
         '{"text": "…"}.'),
        ("a.jsonl", "3", ', line 1: the line holds a number, not an object like '
         '{"text": "…"}.'),
        ("a.jsonl", '{"Text": "x", "label": 1}', ', line 1: the object has no key '
         '"text"; did you mean "Text"? The keys are "Text", "label"; choose one with '
         "--set data.text=KEY."),
        ("a.jsonl", '{"text": "x"}', ', line 1: the object has no key "label"; the '
         'keys are "text"; choose one with --set data.label=KEY.'),
        ("a.jsonl", "{}", ', line 1: the object has no key "text"; the keys are none; '
         "choose one with --set data.text=KEY."),
        ("a.jsonl", '{"text": null, "label": 1}', ', line 1: "text" is null; a text '
         "must be a string."),
        ("a.jsonl", '{"text": 1, "label": 1}', ', line 1: "text" is a number; a text '
         "must be a string."),
        ("a.jsonl", '{"text": "x", "label": null}', ', line 1: "label" is null; a '
         "label must be a string, an integer or a boolean."),
        ("a.jsonl", '{"text": "x", "label": 1.0}', ', line 1: "label" is a number; a '
         "label must be a string, an integer or a boolean."),
        ("a.jsonl", '{"text": "x", "label": ["a"]}', ', line 1: "label" is a list; a '
         "label must be a string, an integer or a boolean."),
        ("a.jsonl", '{"text": "x", "label": ""}', ', line 1: the label in "label" is '
         "empty; fill it in or remove the row."),
        ("a.txt", "x", ": the ending does not tell the format; say which it is with "
         "--set data.format=csv (or tsv, jsonl, parquet)."),
        ("a.csv", None, ": there is no such data file."),
        ("missing", None, ": there is no such data file."),
    ],
)  # fmt: skip
def test_says_what_is_wrong_and_where(tmp_path, name, content, message):
    path = tmp_path / name
    if content is not None:
        written(tmp_path, name, content)
    with pytest.raises(KzooError) as caught:
        read(path)
    assert str(caught.value) == f"{path}{message}"


def test_deeply_nested_json_is_refused():
    with pytest.raises(KzooError, match="rows, line 1: this is not JSON"):
        parse(b"[" * 100_000, "rows", format="jsonl")


def test_a_folder_is_not_a_file(tmp_path):
    (tmp_path / "rows.csv").mkdir()
    (tmp_path / "rows").mkdir()
    for folder in (tmp_path / "rows.csv", tmp_path / "rows"):
        with pytest.raises(KzooError) as caught:
            read(folder)
        assert str(caught.value) == (
            f"{folder} is a folder; name a file in it, or many as in {folder}/*.csv."
        )


@pytest.mark.parametrize(
    "asked, hint",
    [
        ("mien.csv", '; did you mean "mine.csv"?'),
        ("mien", '; did you mean "mine"?'),
        ("mien.jsonl", "."),
        ("other.csv", "."),
        ("none/mine.csv", "."),
    ],
)
def test_the_nearest_file_is_named(tmp_path, asked, hint):
    for name in ("mine.csv", "mine", "mien.toml"):
        (tmp_path / name).touch()
    with pytest.raises(KzooError) as caught:
        read(tmp_path / asked)
    assert str(caught.value) == (
        f"{tmp_path / asked}: there is no such data file{hint}"
    )
