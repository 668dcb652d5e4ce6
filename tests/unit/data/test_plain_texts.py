"""Texts alone: out of plain files and tables, blank ones counted, none lost."""

import gzip
import json

import pytest
from kzoo_recipes import KzooError, TextData

from kzoo.data.texts import load_text_splits, read_texts


def test_a_text_stands_on_each_line_of_a_plain_file(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("one two\n\nthree\r\n  \nfour")
    rows = read_texts(file)
    assert rows.texts == ["one two", "three", "four"]
    assert rows.lines == [1, 3, 5]
    assert rows.notes == ["2 blank texts were left out (lines 2, 4)"]
    assert rows.where(1) == f"{file}, line 3"


def test_a_paragraph_goes_on_to_an_empty_line(tmp_path):
    file = tmp_path / "prose"
    file.write_text("\n\none\ntwo  \n \n\nthree\r\nfour\n")
    rows = read_texts(file, format="paragraphs")
    assert rows.texts == ["one\ntwo  ", "three\nfour"]
    assert rows.lines == [3, 7]
    assert rows.notes == []


def test_a_paragraph_with_a_broken_line_is_refused_by_its_line(tmp_path):
    file = tmp_path / "prose.txt"
    file.write_bytes(b"fine\n\nfine\nna\xefve\n\nfine\n")
    with pytest.raises(KzooError, match="line 4: the byte 0xef is not UTF-8"):
        read_texts(file, format="paragraphs")


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.txt.gz", "a.log"])
def test_each_format_has_its_texts(tmp_path, name):
    file = tmp_path / name
    if name == "a.jsonl":
        file.write_text("".join(json.dumps({"body": t}) + "\n" for t in ("x", "y z")))
    elif name.endswith(".gz"):
        file.write_bytes(gzip.compress(b"x\ny z\n"))
    else:
        header = "body\n" if name[2:] in ("csv", "tsv") else ""
        file.write_text(f"{header}x\ny z\n")
    assert read_texts(file, text="body").texts == ["x", "y z"]


def test_dev_and_test_are_split_off_by_a_hash(tmp_path):
    lines = [f"text number {number}" for number in range(300)]
    tmp_path.joinpath("all.txt").write_text("\n".join([*lines, ""]))
    splits = load_text_splits(TextData(train=str(tmp_path / "all.txt")))
    assert sorted(text for rows in splits.values() for text in rows.texts) == sorted(
        lines
    )
    assert [splits[name].hashed for name in ("train", "dev", "test")] == [
        False,
        *[1] * 2,
    ]
    tmp_path.joinpath("more.txt").write_text("\n".join(["a new one", *lines[::-1]]))
    again = load_text_splits(TextData(train=str(tmp_path / "more.txt")))
    for name in ("dev", "test"):
        assert set(splits[name].texts) <= set(again[name].texts)


def test_labels_of_a_corpus_are_not_looked_at():
    splits = load_text_splits(TextData(source="kzoo:reviews"))
    assert {name: len(rows) for name, rows in splits.items()} == {
        **{"train": 5100, "dev": 850, "test": 850}
    }
    assert splits["train"].labels is None


def test_what_cannot_be_used_is_said(tmp_path):
    file = tmp_path / "blank.txt"
    file.write_text("\n \n")
    with pytest.raises(KzooError, match=r"blank\.txt: no row has a text"):
        read_texts(file)
    with pytest.raises(KzooError, match="no such data file"):
        read_texts(tmp_path / "none.txt")
    table = tmp_path / "a.csv"
    table.write_text("body\nx\n")
    with pytest.raises(KzooError, match=r'no column "text".*did you mean|columns are'):
        read_texts(table)
    tagged = tmp_path / "a.conll"
    tagged.write_text("x O\n")
    with pytest.raises(KzooError, match="a tag for each word"):
        read_texts(tagged)
