"""Rows of any number of labels, from every format that can hold them."""

import json

import pytest
from kzoo_recipes import ClassifierData, KzooError

from kzoo.data import LabelSet, load_splits, read
from kzoo.data.readers import parse

MANY = {"multi_label": True, "label_separator": "|"}
CSV = "text,label\na,room | food\nb,\nc,food\nd,  \n"


def rows_of(content, **options):
    return parse(content.encode(), "x", **{**MANY, **options})


def test_csv_has_a_separator_and_rows_without_labels():
    rows = rows_of(CSV)
    assert rows.labels == [("food", "room"), (), ("food",), ()]
    tabs = rows_of("text\tlabel\na\troom;food\n", format="tsv", label_separator=";")
    assert tabs.labels == [("food", "room")]
    quoted = rows_of('text,label\na,"room, food"\n', label_separator=",")
    assert quoted.labels == [("food", "room")]


def test_jsonl_has_lists():
    lines = [{"text": "a", "label": ["room", "food"]}, {"text": "b", "label": []}]
    content = "\n".join(map(json.dumps, lines))
    rows = rows_of(content, format="jsonl", label_separator=None)
    assert rows.labels == [("food", "room"), ()]
    numbers = rows_of('{"text": "a", "label": [3, true]}', format="jsonl")
    assert numbers.labels == [("3", "true")]
    text = rows_of('{"text": "a", "label": "room|food"}', format="jsonl")
    assert text.labels == [("food", "room")]


def test_parquet_has_lists(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="it writes the file")
    import pyarrow.parquet as pq

    table = pa.table({"text": ["a", "b"], "label": [["room", "food"], []]})
    pq.write_table(table, tmp_path / "x.parquet")
    rows = read(tmp_path / "x.parquet", multi_label=True)
    assert rows.labels == [("food", "room"), ()]


@pytest.mark.parametrize(
    "content, options, sentence",
    [
        (
            "text,label\na,room|food\n",
            {"label_separator": None},
            'x, line 2: "label" is a string, which may hold several labels; say what '
            'stands between them with --set data.label_separator="|", or write them '
            "as a list in JSONL.",
        ),
        (
            "text,label\na,room||food\n",
            {},
            'x, line 2: the label in "label" is empty; fill it in or remove the row.',
        ),
        (
            "text,label\na,room|food|room\n",
            {},
            'x, line 2: "label" has the label "room" twice; remove one.',
        ),
        (
            '{"text": "a", "label": null}',
            {"format": "jsonl"},
            'x, line 1: "label" is null; labels must be a list, [] if there are none.',
        ),
        (
            '{"text": "a", "label": ["room", 1.5]}',
            {"format": "jsonl"},
            'x, line 1: "label" is a number; a label must be a string, an integer or a '
            "boolean.",
        ),
    ],
)
def test_what_holds_no_labels_is_refused(content, options, sentence):
    with pytest.raises(KzooError) as caught:
        rows_of(content, **options)
    assert str(caught.value) == sentence


def splits_of(tmp_path, content, **options):
    path = tmp_path / "rows.csv"
    path.write_text(content)
    files = {split: str(path) for split in ("train", "dev", "test")}
    return load_splits(ClassifierData(**files, **MANY, **options))


def test_splits_and_renamed_labels(tmp_path):
    splits = splits_of(tmp_path, CSV, labels={"room": "place", "food": "place"})
    assert splits["test"].labels == [("place",), (), ("place",), ()]
    assert LabelSet.from_rows(splits["train"]).ids(splits["dev"]).tolist() == [
        [1],
        [0],
        [1],
        [0],
    ]
    with pytest.raises(KzooError, match='renames the label "rom", which no row has; d'):
        splits_of(tmp_path, CSV, labels={"rom": "place"})


def test_some_row_must_have_a_label(tmp_path):
    with pytest.raises(KzooError, match="no training row has a label; look at the col"):
        splits_of(tmp_path, "text,label\na,\nb,\n")
