"""Small files that unpack to large ones are refused before they fill the memory."""

import bz2
import gzip
import io
import lzma
import tracemalloc

import pytest
from kzoo_recipes import KzooError

from kzoo.data import iterate, read

LINES = b"text,label\n" + b"a,b\n" * 2_000_000


def rows_of(path):
    return sum(1 for _ in iterate(path, text="text", label="label"))


@pytest.mark.parametrize("pack", [gzip, bz2, lzma], ids=lambda m: m.__name__)
def test_a_file_that_unpacks_without_end(tmp_path, pack, monkeypatch):
    monkeypatch.setattr("kzoo.data.readers.packed.FREE", 1 << 20)
    path = tmp_path / "rows.csv.packed"
    path.write_bytes(pack.compress(LINES[:8_000_000]))
    with pytest.raises(KzooError) as caught:
        read(path, format="csv")
    assert str(caught.value) == (
        f"{path}: the file unpacks to more than 200 times its size, as no text does; "
        "unpack it yourself if you trust it."
    )


def test_files_of_modest_size_may_be_as_repetitive_as_they_like(tmp_path):
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(LINES[:400_011]))
    assert rows_of(path) == 100_000


def test_memory_stays_small(tmp_path, monkeypatch):
    """One line without an end, a thousand times the size of its file."""
    monkeypatch.setattr("kzoo.data.readers.packed.FREE", 1 << 20)
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(b"[" * 50_000_000))
    tracemalloc.start()
    with pytest.raises(KzooError, match="unpacks to more than 200 times its size"):
        rows_of(path)
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


def test_a_packed_stream_is_read_as_it_comes():
    stream = io.BytesIO(gzip.compress(b"text,label\nfine,good\n"))
    rows = list(iterate(stream, text="text", label="label", format="csv"))
    assert [row.text for row in rows] == ["fine"]


def test_parquet_with_more_rows_than_bytes(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "rows.parquet"
    column = pyarrow.array(["x"] * 200_000).dictionary_encode()
    parquet.write_table(pyarrow.table({"text": column, "label": column}), path)
    with pytest.raises(KzooError) as caught:
        read(path)
    size = path.stat().st_size
    assert str(caught.value) == (
        f"{path}: the file has 200,000 rows in {size:,} bytes, more than texts can be; "
        "write it anew without the doubles."
    )


PARTS = (b"text,label\nfine,good\n", b"dull,bad\n")


@pytest.mark.parametrize("pack", [gzip, bz2, lzma], ids=lambda m: m.__name__)
def test_streams_one_after_the_other_are_all_read(tmp_path, pack):
    path = tmp_path / "rows.csv.packed"
    path.write_bytes(bytes(8).join(map(pack.compress, PARTS)) + bytes(4))
    assert read(path, format="csv").texts == ["fine", "dull"]


@pytest.mark.parametrize("pack", [gzip, bz2, lzma], ids=lambda m: m.__name__)
@pytest.mark.parametrize("harm", ["start", "cut", "tail"])
def test_what_follows_a_stream_must_be_one(tmp_path, pack, harm):
    first, second = map(pack.compress, PARTS)
    second = {"start": b"?" + second[1:], "cut": second[:-9], "tail": b"tail"}[harm]
    path = tmp_path / "rows.csv.packed"
    path.write_bytes(first + second)
    with pytest.raises(KzooError) as caught:
        read(path, format="csv")
    assert str(caught.value).startswith(f"{path}: the packed file is damaged (")
