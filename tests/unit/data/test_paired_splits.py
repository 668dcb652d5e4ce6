"""Train, dev and test of documents with summaries."""

import json

import pytest
from kzoo_recipes import KzooError, SummarizerData

from kzoo.data.pairs import load_paired_splits


@pytest.fixture
def write(tmp_path):
    """Write rows to a file of this name; give its path."""

    def writing(name, rows):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(path)

    return writing


def pairs(*numbers, **more):
    return [
        {"document": f"Day {n} was wet.", "summary": f"Wet {n}", **more}
        for n in numbers
    ]


def test_parts_have_files_and_references_may_be_of_some(write):
    data = SummarizerData(
        train=write("train.jsonl", pairs(1, 2, w=3)),
        dev=write("dev.jsonl", pairs(3)),
        test=write("test.jsonl", pairs(4, refs=["Rain"])),
        references="refs",
        weight="w",
    )
    splits = load_paired_splits(data)
    assert [*splits] == ["train", "dev", "test"]
    assert splits["train"].weights == [3, 3]
    assert splits["dev"].references == [["Wet 3"]]
    assert splits["test"].references == [["Wet 4", "Rain"]]
    assert splits["dev"].weights is splits["test"].weights is None


def test_parts_without_a_file_are_split_off_by_the_document(write):
    rows = pairs(*range(300)) + pairs(*range(300), summary="Damp")
    rows[7]["document"] = " "
    path = write("rows.jsonl", rows)
    splits = load_paired_splits(SummarizerData(train=path))
    found = {name: set(rows.documents) for name, rows in splits.items()}
    assert not found["train"] & found["test"] and not found["dev"] & found["test"]
    assert sum(map(len, splits.values())) == 599
    assert 20 < len(found["test"]) < 45
    assert [rows.hashed for rows in splits.values()] == [False, True, True]
    notes = ["1 row with an empty document was left out (line 8)"]
    assert [rows.notes for rows in splits.values()] == [notes, [], []]
    once = load_paired_splits(SummarizerData(train=write("half.jsonl", rows[:300])))
    assert set(once["test"].documents) == found["test"]


def test_what_cannot_be_learnt_from_is_refused(write):
    data = SummarizerData(train=write("rows.jsonl", pairs(*range(50), w=0)), weight="w")
    with pytest.raises(KzooError, match="every training row has the weight 0"):
        load_paired_splits(data)
    data = SummarizerData(train=data.train, references="refs")
    with pytest.raises(KzooError, match='no row has references in "refs"; name'):
        load_paired_splits(data)
    with pytest.raises(KzooError, match=r"data.train=FILE \(jsonl, csv, tsv or parq"):
        load_paired_splits(SummarizerData())
    with pytest.raises(KzooError, match="splitting 1 rows by their hash left none"):
        load_paired_splits(SummarizerData(train=write("one.jsonl", pairs(1))))
