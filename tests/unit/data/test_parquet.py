"""Parquet as pyarrow writes it."""

import sys

import pytest
from kzoo_recipes import KzooError

from kzoo.data import iterate, read

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    pa = None

needs_pyarrow = pytest.mark.skipif(
    pa is None, reason='pyarrow is not installed: pip install "kzoo[parquet]"'
)


@pytest.fixture
def saved(tmp_path):
    def save(columns, **options):
        path = tmp_path / "rows.parquet"
        pq.write_table(pa.table(columns), path, **options)
        return path

    return save


@needs_pyarrow
def test_columns_of_any_fitting_type(saved):
    texts = ["", "é\n,", "x" * 100_000]
    columns = {
        "text": pa.array(texts, pa.large_string()),
        "int": pa.array([3, -1, 3], pa.int8()),
        "bool": [True, False, True],
        "word": pa.array([" a ", "b", "a"]).dictionary_encode(),
        "weight": pa.array([0.5, 1, 0], pa.float32()),
        "a.b": [1, 2, 3],
    }
    path = saved(columns, row_group_size=2)
    for column, labels in {
        "int": ["3", "-1", "3"],
        "bool": ["true", "false", "true"],
        "word": ["a", "b", "a"],
        "a.b": ["1", "2", "3"],
    }.items():
        rows = read(path, label=column, weight="weight")
        assert (rows.texts, rows.labels, rows.weights) == (texts, labels, [0.5, 1, 0])
    assert rows.where(2) == f"{path}, row 3"
    assert rows.take([1]).where(0) == f"{path}, row 2"
    assert read(path, label=None).labels is None


@needs_pyarrow
def test_broken_rows_are_named(saved):
    path = saved({"text": ["x", None, "z"], "label": [1.5, 1.0, None]})
    broken = []
    assert list(iterate(path, broken=broken.append)) == []
    assert list(map(str, broken)) == [
        f'{path}, row 1: "label" is a number; a label must be a string, an integer or '
        "a boolean.",
        f'{path}, row 2: "text" is null; a text must be a string.',
        f'{path}, row 3: "label" is null; a label must be a string, an integer or a '
        "boolean.",
    ]


@needs_pyarrow
def test_a_column_that_is_not_there(saved):
    path = saved({"Text": ["x"], "label": [1]})
    with pytest.raises(KzooError) as caught:
        read(path)
    assert str(caught.value) == (
        f'{path}: there is no column "text"; did you mean "Text"? The columns are '
        '"Text", "label"; choose one with --set data.text=COLUMN.'
    )


@needs_pyarrow
@pytest.mark.parametrize("cut", [slice(0, 0), slice(0, 40), slice(9, None)])
def test_a_damaged_file(saved, cut):
    path = saved({"text": ["x"] * 100, "label": [1] * 100})
    path.write_bytes(path.read_bytes()[cut])
    with pytest.raises(
        KzooError, match=r"rows\.parquet: the file is not sound Parquet"
    ):
        read(path)


def test_without_pyarrow_it_says_what_brings_it(tmp_path, monkeypatch):
    path = tmp_path / "rows.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(KzooError) as caught:
        read(path)
    assert str(caught.value) == (
        f'{path}: Parquet is read by pyarrow; `pip install "kzoo[parquet]"` brings it.'
    )


def test_a_file_that_is_not_there(tmp_path):
    pytest.importorskip("pyarrow")
    with pytest.raises(KzooError, match="there is no such data file"):
        read(tmp_path / "none.parquet")
