"""Columns that are handed on with each row, for whoever writes answers beside them."""

import json

import pytest
from kzoo_recipes import KzooError

from kzoo.data.readers import iterate

CSV = 'id,text,"note, long",\n7,one,"a,b",\n8,two,,\n'


def kept(path, **options):
    return [row.kept for row in iterate(path, label=None, **options)]


def write(path, content):
    path.write_text(content)
    return path


@pytest.fixture
def parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    columns = {"text": ["one", "two"], "id": [7, 8], "note, long": ["a,b", None]}
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


def test_csv(tmp_path):
    path = write(tmp_path / "rows.csv", CSV)
    assert kept(path) == [None, None]
    assert kept(path, keep=("note, long", "text")) == [
        {"note, long": "a,b", "text": "one"},
        {"note, long": "", "text": "two"},
    ]
    assert kept(path, keep=("all",))[0] == {"id": "7", "note, long": "a,b"}


def test_jsonl_keeps_values_as_they_are(tmp_path):
    rows = [{"text": "one", "id": 7, "meta": {"a": [None, 0.5]}}, {"text": "two"}]
    path = write(tmp_path / "rows.jsonl", "\n".join(map(json.dumps, rows)))
    assert kept(path, keep=("all",)) == [{"id": 7, "meta": {"a": [None, 0.5]}}, {}]
    broken = []
    assert kept(path, keep=("id",), broken=broken.append) == [{"id": 7}]
    assert str(broken[0]).endswith(
        'line 2: the object has no key "id"; the keys are "text"; choose one with '
        "--set data.keep=KEY."
    )


def test_parquet(parquet):
    assert kept(parquet, keep=("id",)) == [{"id": 7}, {"id": 8}]
    assert kept(parquet, keep=("all",))[1] == {"id": 8, "note, long": None}


def test_a_column_that_is_not_there(tmp_path, parquet):
    path = write(tmp_path / "rows.csv", CSV)
    for file in (path, parquet):
        with pytest.raises(KzooError, match='no column "idd"; did you mean "id"'):
            kept(file, keep=("idd",))
