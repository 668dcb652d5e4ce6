"""Rows one by one: from packed, encoded and many files, past rows that are broken."""

import bz2
import csv
import gzip
import io
import itertools
import json
import lzma
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kzoo_recipes import KzooError

from kzoo.data import Layout, iterate, read
from kzoo.data.readers import delimited, parse, streams

CSV = 'text,label\r\n"Quite, ""so"".\nReally.",a\r\nNo,b\r\n'
TEXTS = ['Quite, "so".\nReally.', "No"]


def collected(path, **options):
    """The rows, and the sentences about those that are none."""
    broken = []
    rows = list(iterate(path, broken=broken.append, **options))
    return rows, [str(error) for error in broken]


@pytest.mark.parametrize(
    "ending, pack",
    [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)],
)
@pytest.mark.parametrize("ends_so", [True, False])
def test_packed_files_are_unpacked_on_the_way(tmp_path, ending, pack, ends_so):
    path = tmp_path / (f"rows.csv.{ending}" if ends_so else "rows.csv")
    path.write_bytes(pack(("\ufeff" + CSV).encode()))
    assert read(path).texts == TEXTS
    path = tmp_path / f"rows.jsonl.{ending}"
    path.write_bytes(pack(b'{"text": "x", "label": 1}'))
    assert read(path).where(0) == f"{path}, line 1"


@pytest.mark.parametrize("cut", [slice(0, -9), slice(0, 15)])
def test_a_damaged_packed_file_is_refused(tmp_path, cut):
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(CSV.encode())[cut])
    with pytest.raises(KzooError, match=r"rows\.csv\.gz: the packed file is damaged"):
        read(path)


@pytest.mark.parametrize(
    "content, sentence",
    [
        (b"\x28\xb5\x2f\xfd....", "is packed by zstd; unpack it first, with `unzstd`."),
        (b"PK\x03\x04....", "is a zip archive, as spreadsheets are; save the rows as "
         "CSV."),
        (b"\xd0\xcf\x11\xe0....", "is an old spreadsheet; save the rows as CSV."),
    ],
)  # fmt: skip
def test_what_cannot_be_unpacked_says_what_it_is(tmp_path, content, sentence):
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    with pytest.raises(KzooError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: the file {sentence}"


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig", "shift-jis"]
)
def test_encodings_can_be_said(tmp_path, encoding):
    text = "テスト" if encoding == "shift-jis" else "Café à l'œil"
    text = text.replace("œ", "o") if encoding == "latin-1" else text
    path = tmp_path / "rows.csv"
    path.write_bytes(f'text,label\n"{text}\nx",a\n'.encode(encoding))
    assert read(path, encoding=encoding).texts == [text + "\nx"]
    path = tmp_path / "rows.jsonl"
    line = json.dumps({"text": text, "label": 1}, ensure_ascii=False)
    path.write_bytes(f"{line}\n{line}\n".encode(encoding))
    assert read(path, encoding=encoding).texts == [text, text]


@pytest.mark.parametrize(
    "content, option, sentence",
    [
        (b"text,label\nx,a\n\x93No\x94,b\n", "--encoding cp1252",
         ", line 3: the byte 0x93 is not UTF-8; say what the file is with --encoding "
         "cp1252, or save it as UTF-8."),
        ("text,label\nx,a\n".encode("utf-16"), "--encoding utf-16",
         ": the file is UTF-16; say so with --encoding utf-16, or save it as UTF-8."),
    ],
)  # fmt: skip
def test_another_encoding_is_refused_with_what_to_say(
    tmp_path, content, option, sentence
):
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    with pytest.raises(KzooError) as caught:
        read(path, option="--{key} ")
    assert str(caught.value) == f"{path}{sentence}"
    assert len(read(path, encoding=option.split()[1])) > 0


def test_an_encoding_that_is_none():
    with pytest.raises(
        KzooError, match='no encoding "latin1x"; did you mean "latin-1"'
    ):
        Layout(encoding="latin1x")
    with pytest.raises(KzooError, match='no encoding "hex"'):
        Layout(encoding="hex")


def test_several_files_are_one(tmp_path):
    (tmp_path / "deep").mkdir()
    for name, label in [("b.csv", "b"), ("a.csv", "a"), ("deep/c.csv", "c")]:
        tmp_path.joinpath(name).write_text(f"text,label\nof {label},{label}\n")
    (tmp_path / "d.jsonl").write_text('\n{"label": 1, "text": "of d"}')
    pattern = f"{tmp_path}/**/*.csv"
    rows = read([tmp_path / "d.jsonl", pattern])
    assert rows.labels == ["1", "a", "b", "c"]
    assert rows.where(0) == f"{tmp_path / 'd.jsonl'}, line 2"
    assert rows.take([3, 1]).where(0) == f"{tmp_path / 'deep' / 'c.csv'}, line 2"
    assert rows.path == f"{tmp_path / 'd.jsonl'}, {pattern}"
    assert read([pattern] * 5).path == f"{pattern}, {pattern}, {pattern} and 2 more"
    with pytest.raises(KzooError, match=r"/\*\.tsv: no file matches this pattern\."):
        read(f"{tmp_path}/*.tsv")


def test_a_file_that_looks_like_a_pattern_is_a_file(tmp_path):
    path = tmp_path / "rows[1].csv"
    path.write_text("text,label\nx,a\n")
    (tmp_path / "rows1.csv").write_text("text,label\ny,a\n")
    assert read(path).texts == ["x"]


def test_a_stream_is_read_and_left_open():
    stream = io.BytesIO(gzip.compress(b"one\r\n\ntwo"))
    rows = iterate(stream, format="lines", label=None)
    assert [row.text for row in rows] == ["one", "", "two"]
    assert not stream.closed
    with pytest.raises(KzooError, match="stdin: the ending does not tell the format"):
        next(iterate(io.BytesIO(b"text\nx\n"), label=None))


BROKEN = {
    "rows.csv": (
        b'text,label\nfine,a\nso, so,a\n"open,a\n"two\nlines",b\n'
        b'caf\xe9,a\nx, \n"",c\n',
        [("fine", 2), ("two\nlines", 5), ("", 9)],
        [", line 3: the row has 3 fields", ", line 4: the quotes of the row",
         ", line 7: the byte 0xe9", ", line 8: the label in"],
    ),
    "rows.tsv": (
        b'text\tlabel\n"a\0\nb"\ta\nc\ta\n"never closed\ta\nd\ta\n',
        [("c", 4), ("d", 6)],
        [", line 2: there is a NUL", ", line 5: the quotes"],
    ),
    "rows.jsonl": (
        b'{"text": "x", "label": 1}\n{"text": \n[1]\n{"text": "\xff", "label": 1}\n'
        b'{"label": 1}\n{"text": "y", "label": 2}\n',
        [("x", 1), ("y", 6)],
        [", line 2: this is not JSON", ", line 3: the line holds a list",
         ", line 4: the byte 0xff", ', line 5: the object has no key "text"'],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_rows_do_not_cost_the_others(tmp_path, name):
    content, kept, sentences = BROKEN[name]
    path = tmp_path / name
    path.write_bytes(content)
    rows, said = collected(path)
    assert [(row.text, row.line) for row in rows] == kept
    assert len(said) == len(sentences)
    for sentence, start in zip(said, sentences, strict=True):
        assert sentence.startswith(f"{path}{start}")
    with pytest.raises(KzooError) as caught:
        read(path)
    assert str(caught.value) == said[0]


def test_a_file_that_is_no_table_is_not_one_broken_row(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("words,label\nx,a\n")
    with pytest.raises(KzooError, match='no column "text"'):
        collected(path)


@settings(max_examples=200)
@given(
    rows=st.lists(st.tuples(st.text("ab\n,", max_size=5), st.sampled_from("ab"))),
    at=st.integers(0),
    stray=st.sampled_from(['"open,a', 'a"b"c,a,', '"x"y,a', '"""', "lonely", "é,"]),
)
def test_one_broken_line_costs_one_line(rows, at, stray):
    """Whatever row is put between good ones, as long as it says nothing by itself."""
    at %= len(rows) + 1
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("text", "label"))
    writer.writerows(rows[:at])
    file.write(stray + "\n")
    writer.writerows(rows[at:])
    read_back, said = collected(io.BytesIO(file.getvalue().encode()), format="csv")
    quoted_below = any("\n" in text or "," in text for text, _ in rows[at:])
    if not (stray in ('"open,a', '"""') and quoted_below):
        assert [(row.text, row.label) for row in read_back] == rows
        assert len(said) == 1


def test_a_quote_that_nobody_closed_is_given_up_at_a_limit(monkeypatch):
    monkeypatch.setattr(delimited, "LONGEST", 1000)
    lines = ["text,label", '"open,a', *(f"row {n},a" for n in range(500))]
    content = "\n".join(lines).encode()
    rows, said = collected(io.BytesIO(content), format="csv")
    assert len(rows) == 500
    assert "more than 1,000 characters" in said[0] and len(said) == 1


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_line_beyond_all_measure_is_not_read_to_its_end(monkeypatch, format):
    monkeypatch.setattr(streams, "LONGEST", 1000)
    content = gzip.compress(b"text,label\n" + b"x" * 10_000_000)
    with pytest.raises(KzooError, match=r"line 2: the line holds more than 1,000 char"):
        collected(io.BytesIO(content), format=format)


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_memory_does_not_grow_with_the_file(tmp_path, format):
    """The rows would take 20 MB at once."""
    count, path = 20_000, tmp_path / f"rows.{format}"
    text = "word " * 200
    if format == "csv":
        with path.open("w") as file:
            file.write("text,label\n")
            file.writelines(f"{text}{n},a\n" for n in range(count))
    elif format == "jsonl":
        with path.open("w") as file:
            row = '{{"text": "{0}{1}", "label": 1}}\n'
            file.writelines(row.format(text, n) for n in range(count))
    else:
        pa = pytest.importorskip("pyarrow")
        import pyarrow.parquet as pq

        texts = [f"{text}{n}" for n in range(count)]
        table = pa.table({"text": texts, "label": ["a"] * count})
        pq.write_table(table, path, row_group_size=2000)
        del table, texts
    rows = iterate(path)
    first = next(rows)
    tracemalloc.start()
    try:
        rest = sum(1 for _ in rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (first.line, rest) == (2 if format == "csv" else 1, count - 1)
    assert peak < 4_000_000


WEIGHTS = {"1": 1.0, "0": 0.0, "2.5e-3": 0.0025, " 3 ": 3.0}


def test_weights_are_read_from_their_column():
    content = "text,w,label\n" + "".join(f"x,{w},a\n" for w in WEIGHTS)
    rows = parse(content.encode(), "rows", weight="w")
    assert rows.weights == list(WEIGHTS.values())
    assert rows.take([2, 1]).weights == [0.0025, 0.0]
    content = b'{"text": "x", "label": 1, "w": 2}'
    assert parse(content, "rows", weight="w", format="jsonl").weights == [2.0]
    assert parse(b"text,label\nx,a\n", "rows").weights is None


@pytest.mark.parametrize(
    "written, shown",
    [
        ('"-1"', "'-1'"), ('"nan"', "'nan'"), ('"much"', "'much'"), ('""', "''"),
        ("-0.5", "-0.5"), ("1e999", "inf"), ("true", "True"), ("null", "None"),
        ("[1]", "[1]"), (f'"{"x" * 60}"', f"'{'x' * 38}…"), ("9" * 400, f"{'9' * 39}…"),
    ],
)  # fmt: skip
def test_a_bad_weight_is_refused_with_its_row(written, shown):
    content = f'{{"text": "x", "label": 1, "w": {written}}}'.encode()
    with pytest.raises(KzooError) as caught:
        parse(b"\n" + content, "rows", weight="w", format="jsonl")
    assert str(caught.value) == (
        f'rows, line 2: the weight in "w" is {shown}; a weight must be a finite number '
        "that is not negative."
    )


@pytest.mark.parametrize(
    "line, key",
    [
        ('{"text": "x", "label": 1, "text": "y"}', "text"),
        ('{"text": "x", "label": 1, "more": {"a": 1, "b": 2, "a": 3}}', "a"),
    ],
)
def test_a_key_that_stands_twice_is_refused(line, key):
    with pytest.raises(KzooError) as caught:
        parse(line.encode(), "rows", format="jsonl")
    assert str(caught.value) == (
        f'rows, line 1: the object has the key "{key}" twice; keep one of them.'
    )


@settings(max_examples=300)
@given(st.binary(max_size=200), st.sampled_from(["csv", "tsv", "jsonl", "parquet"]))
def test_any_bytes_are_read_or_refused_in_one_sentence(content, format):
    start = {"csv": b"text,label\n", "tsv": b"text\tlabel\n", "parquet": b"PAR1"}
    for written in (content, start.get(format, b"") + content):
        try:
            _, said = collected(io.BytesIO(written), format=format)
        except KzooError as error:
            said = [str(error)]
        for sentence in said:
            assert sentence.startswith("stdin") and "\n" not in sentence.strip()


def test_names_out_of_a_file_are_shown_short_and_on_one_line():
    long, many = "9" * 5000, ",".join(f"c{n}" for n in range(50))
    with pytest.raises(KzooError) as caught:
        parse(f'"a\n\x1b[31mb",{long},{many}\n'.encode(), "rows")
    named = ", ".join(f'"c{n}"' for n in range(18))
    assert str(caught.value) == (
        'rows, line 1: there is no column "text"; the columns are "a  [31mb", '
        f'"{"9" * 39}…", {named} and 32 more; choose one with --set data.text=COLUMN.'
    )


def test_rows_come_before_the_file_is_read():
    class Endless(io.RawIOBase):
        def __init__(self):
            self.lines = itertools.chain([b"text,label\n"], itertools.repeat(b"x,a\n"))

        def readable(self):
            return True

        def readinto(self, buffer):
            line = next(self.lines)
            buffer[: len(line)] = line
            return len(line)

    rows = iterate(Endless(), format="csv")
    assert [row.line for row in itertools.islice(rows, 3)] == [2, 3, 4]
