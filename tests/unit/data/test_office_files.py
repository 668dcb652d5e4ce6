"""The long documents that are made on the spot are what their module says."""

import json
import re

import pytest
from kzoo_recipes import ClassifierData

from kzoo.data import installed, load_splits, office_files
from kzoo.data.office_files import CONSEQUENCES, DECISIONS, VERDICTS

CUT = 512


def made(split, size=30):
    lines = office_files.office_files(split, size).splitlines()
    return [json.loads(line) for line in lines]


def tokens(text):
    return re.findall(r"\w+|[^\w\s]", text)


def pattern(forms, label):
    """A sentence of one of the forms that says the label."""
    verdict = "|".join(VERDICTS[label])
    blanks = {"matter": "[^.]+", "month": r"\w+", "verdict": f"({verdict})"}
    return "|".join(form.format(**blanks) for form in forms)


@pytest.mark.parametrize("split", office_files.SIZES)
def test_one_sentence_says_the_label(split):
    for row in made(split):
        text, told = row["text"].lower(), []
        for label in VERDICTS:
            for forms in (DECISIONS, CONSEQUENCES[label]):
                if re.search(pattern(forms, label).lower(), text):
                    told.append(label)
        assert told == [row["label"]] * 2


def test_labels_are_as_many_and_files_as_long_as_said():
    for split in ("dev", "test"):
        rows = made(split)
        assert [row["label"] for row in rows] == list(VERDICTS) * 10
        lengths = [len(tokens(row["text"])) for row in rows]
        assert min(lengths) > 3200 and max(lengths) <= office_files.THICK_TOKENS[1]
    lengths = [len(tokens(row["text"])) for row in made("train", 36)]
    thick = [length for length in lengths if length > CUT]
    assert len(thick) == 36 / office_files.THIN
    assert min(thick) > 3200 and max(lengths) <= office_files.THICK_TOKENS[1]


def test_the_beginning_of_a_thick_file_rarely_says_it():
    rows = made("test", 60)
    within = 0
    for row in rows:
        found = re.search(pattern(DECISIONS, row["label"]), row["text"], re.IGNORECASE)
        within += len(tokens(row["text"][: found.start()])) < CUT
    assert 0 < within < len(rows) / 4


def test_they_are_made_alike_each_time_and_not_shared():
    assert made("dev") == made("dev")
    assert made("dev", 3) == made("dev")[:3]
    texts = [row["text"] for split in office_files.SIZES for row in made(split)]
    assert len(set(texts)) == len(texts)
    trained = "".join(row["text"] for row in made("train", 90)).lower()
    tested = "".join(row["text"] for row in made("test", 90)).lower()
    for matter in office_files.NEW_MATTERS:
        assert matter.lower() in tested and matter.lower() not in trained


def test_they_are_a_source_of_recipes(monkeypatch):
    monkeypatch.setattr(installed, "SIZES", {"train": 1, "dev": 1, "test": 1})
    few = office_files.office_files
    monkeypatch.setattr(installed, "office_files", lambda split: few(split, 6))
    splits = load_splits(ClassifierData(source="kzoo:office_files"))
    assert {split: len(rows) for split, rows in splits.items()} == {
        "train": 6,
        "dev": 6,
        "test": 6,
    }
    assert splits["dev"].where(1) == "kzoo:office_files/dev, line 2"
