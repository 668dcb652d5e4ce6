"""Documents and summaries out of JSONL, CSV and Parquet."""

import bz2
import gzip
import json

import pytest
from kzoo_recipes import KzooError

from kzoo.data import iterate
from kzoo.data.pairs import PairedLayout, PairedRows, read_paired

ROW = {"document": "It rained all day in Hexby.", "summary": "Rain in Hexby"}


@pytest.fixture
def jsonl(tmp_path):
    """Write rows and read them."""

    def reading(*rows, **options):
        lines = [json.dumps(row) for row in rows]
        tmp_path.joinpath("rows.jsonl").write_text("\n".join(lines))
        return read_paired(tmp_path / "rows.jsonl", **options)

    return reading


def refused(read, *arguments, **options):
    with pytest.raises(KzooError) as refusal:
        read(*arguments, **options)
    return str(refusal.value).split("/")[-1]


def test_documents_and_summaries(jsonl):
    rows = jsonl(ROW, {"document": " a\n b ", "summary": " c\n"})
    assert isinstance(rows, PairedRows)
    assert rows.documents == rows.texts == ["It rained all day in Hexby.", " a\n b "]
    assert rows.summaries == ["Rain in Hexby", "c"]
    assert rows.references == [["Rain in Hexby"], ["c"]]
    assert (rows.lines, rows.weights, rows.notes) == ([1, 2], None, [])
    assert rows.where(1).endswith("rows.jsonl, line 2")


def test_references_follow_the_summary_which_is_named_once(jsonl):
    rows = jsonl(
        {**ROW, "references": ["Wet", "Rain in Hexby", "Wet"]},
        {**ROW, "references": "Wet day"},
        {**ROW, "references": None},
        {**ROW, "references": []},
        {**ROW, "references": " "},
        ROW,
        references="references",
    )
    assert rows.references == [
        ["Rain in Hexby", "Wet", "Wet"],
        ["Rain in Hexby", "Wet day"],
        *[["Rain in Hexby"]] * 4,
    ]
    assert jsonl({**ROW, "references": ["Wet"]}).references == [["Rain in Hexby"]]


def test_lists_are_sentences_of_a_document_and_summaries_of_one(jsonl):
    rows = jsonl(
        {"source": ["One.", "Two."], "target": ["1, 2", " both "], "more": ["12"]},
        {"source": "Three.", "target": ["3"], "more": []},
        document="source",
        summary="target",
        references="more",
    )
    assert rows.documents == ["One. Two.", "Three."]
    assert rows.summaries == ["1, 2", "3"]
    assert rows.references == [["1, 2", "both", "12"], ["3"]]


@pytest.mark.parametrize("blank", ["", " \n", "\u200b\ufeff", "\u00a0", []])
def test_rows_without_a_document_are_left_out_and_counted(jsonl, blank):
    empty = {"document": blank, "summary": "nothing"}
    rows = jsonl(empty, ROW, empty)
    assert rows.documents == [ROW["document"]] and rows.lines == [2]
    assert rows.notes == ["2 rows with an empty document were left out (lines 1, 3)"]
    assert [line for _, line in rows.empty] == [1, 3]
    many = jsonl(ROW, *[empty] * 5).notes
    assert many == [
        "5 rows with an empty document were left out (lines 2, 3, 4 and 2 more)"
    ]
    assert refused(jsonl, empty).endswith(
        "no row has a document; give it at least one."
    )


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"summary": ""}, 'the summary in "summary" is empty; fill it in or remove'),
        ({"summary": "\u200b "}, 'the summary in "summary" is empty;'),
        ({"summary": []}, '"summary" is an empty list; give a summary or remove the'),
        ({"summary": ["a", ""]}, 'summary 2 in "summary" is empty; fill it in'),
        ({"summary": ["a", 2]}, 'summary 2 in "summary" is a number; a summary must'),
        ({"summary": None}, '"summary" is null; a summary must be a string, or a'),
        ({"summary": "\ud800"}, 'the summary in "summary" is not Unicode text'),
        ({"document": 7}, '"document" is a number; a document must be a string, or'),
        ({"document": ["a", None]}, 'part 2 in "document" is null; a part must be'),
        ({"document": "a\ud800"}, 'the document in "document" is not Unicode text'),
        ({"references": ["a", " "]}, 'reference 2 in "references" is empty; fill it'),
        ({"references": {}}, '"references" is an object; references must be a list'),
        ({"references": [[]]}, 'reference 1 in "references" is a list; a reference'),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(jsonl, change, sentence):
    said = refused(jsonl, ROW, {**ROW, **change}, references="references")
    assert said.startswith(f"rows.jsonl, line 2: {sentence}")


def test_columns_that_are_not_there(jsonl):
    assert refused(jsonl, {"document": "a", "sumary": "b"}) == (
        'rows.jsonl, line 1: the object has no key "summary"; did you mean "sumary"? '
        'The keys are "document", "sumary"; choose one with --set data.summary=KEY.'
    )
    assert refused(jsonl, ROW, document="body").startswith(
        'rows.jsonl, line 1: the object has no key "body"; the keys are'
    )
    near = {**ROW, "reference": ["a"]}
    assert refused(jsonl, near, references="references").startswith(
        'rows.jsonl, line 1: the object has no key "references"; did you mean '
        '"reference"?'
    )
    assert refused(jsonl, ROW, ROW, references="targets") == (
        'rows.jsonl: no row has references in "targets"; name their column with --set '
        "data.references=COLUMN, or leave it out."
    )


def test_weights(jsonl):
    rows = jsonl({**ROW, "w": 2}, {**ROW, "w": "0.5"}, weight="w")
    assert rows.weights == [2.0, 0.5]
    assert "line 1" in refused(jsonl, {**ROW, "w": -1}, weight="w")


def test_tables_packed_files_patterns_and_encodings(tmp_path):
    table = 'body;title;other\n"a;\nb";A;AB\nc;C;\n'
    tmp_path.joinpath("1.csv.gz").write_bytes(gzip.compress(table.encode()))
    tabbed = "body\ttitle\nd é\tD\n".encode("latin-1")
    tmp_path.joinpath("2.tsv.bz2").write_bytes(bz2.compress(tabbed))
    rows = read_paired(
        tmp_path / "*",
        document="body",
        summary="title",
        references="other",
        delimiter=";",
        encoding="latin-1",
    )
    assert rows.documents == ["a;\nb", "c", "d é"]
    assert rows.references == [["A", "AB"], ["C"], ["D"]]
    assert rows.where(2).endswith("2.tsv.bz2, line 2")


def test_parquet_with_lists(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    columns = {
        "source": [["One.", "Two."], ["Three."]],
        "target": [["1 2"], ["3", "III"]],
        "refs": [None, ["drei"]],
    }
    parquet.write_table(pa.table(columns), path)
    rows = read_paired(path, document="source", summary="target", references="refs")
    assert rows.documents == ["One. Two.", "Three."]
    assert rows.references == [["1 2"], ["3", "III", "drei"]]
    assert rows.where(1).endswith("rows.parquet, row 2")
    assert refused(read_paired, path, document="source").startswith(
        'rows.parquet: there is no column "summary"; the columns are'
    )


def test_documents_alone_one_by_one(tmp_path):
    path = tmp_path / "rows.jsonl"
    lines = [{"document": ["a", "b"], "id": 1}, {"document": ""}, {"summary": "c"}]
    path.write_text("\n".join(map(json.dumps, lines)))
    broken = []
    layout = PairedLayout(paired=False, keep=("all",))
    rows = list(iterate(path, layout, broken.append))
    assert [(row.text, row.summary, row.kept) for row in rows] == [
        ("a b", None, {"id": 1}),
        ("", None, {}),
    ]
    assert len(broken) == 1 and "line 3" in str(broken[0])
    tmp_path.joinpath("text.txt").write_text("one\n\ntwo\n")
    plain = PairedLayout(paired=False, format="lines")
    assert [row.text for row in iterate(tmp_path / "text.txt", plain)] == [
        "one",
        "",
        "two",
    ]


def test_only_the_rows_that_are_asked_for_are_read(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(ROW) + "\nbroken")
    assert next(iterate(path, PairedLayout())).summary == ROW["summary"]


def test_other_formats_are_refused(tmp_path):
    path = tmp_path / "rows.conll"
    path.write_text("a O")
    assert refused(read_paired, path) == (
        "rows.conll: conll has a tag for each word, which a token tagger learns; if "
        "this is a table of documents for all its name, say so with --set "
        "data.format=jsonl (or csv, tsv, parquet)."
    )
    text = tmp_path / "rows.txt"
    text.write_text("a")
    assert "say which it is with --set data.format=jsonl" in refused(read_paired, text)


def test_taking_rows_leaves_what_was_said_of_the_whole(jsonl):
    rows = jsonl(ROW, {"document": "", "summary": "x"}, {**ROW, "summary": "wet"})
    taken = rows.take([1])
    assert (taken.summaries, taken.references) == (["wet"], [["wet"]])
    assert (taken.lines, taken.notes, taken.empty) == ([3], [], [])
