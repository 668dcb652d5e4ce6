"""The bundled tagged corpus is what its page says."""

import re
from importlib import resources
from itertools import combinations, pairwise

import pytest
from kzoo_recipes import TaggerData

from kzoo.data import schemes
from kzoo.data.tagged import load_tagged_splits

FOLDER = resources.files("kzoo.data.bundled") / "local_news"
TYPES = {"DATE", "LOC", "ORG", "PER", "PRODUCT"}


@pytest.fixture(scope="module")
def splits():
    data = TaggerData(source="kzoo:local_news", scheme="iob2", learn_scheme="iob2")
    return load_tagged_splits(data)


def names(rows):
    """The surface form of every entity, in order."""
    return [
        " ".join(words[start:end])
        for words, tags in zip(rows.words, rows.tags, strict=True)
        for _, start, end in schemes.entities(tags, "iob2", strict=True)
    ]


def test_its_page_counts_right(splits):
    page = (FOLDER / "README.md").read_text("utf-8")
    said = re.findall(r"`(\w+)\.conll` \| ([\d,]+) \| ([\d,]+) \| ([\d,]+)", page)
    assert {split: [int(n.replace(",", "")) for n in ns] for split, *ns in said} == {
        split: [len(rows), sum(map(len, rows.words)), len(names(rows))]
        for split, rows in splits.items()
    }
    unseen = set(names(splits["test"])) - set(names(splits["train"]))
    share = len(unseen) / len(set(names(splits["test"])))
    assert f"{share:.0%}".replace("%", " %") in page


def test_tags_are_valid_and_of_five_types(splits):
    for rows in splits.values():
        assert not any(schemes.invalid(tags, "iob2") for tags in rows.tags)
        assert {tag.partition("-")[2] for tags in rows.tags for tag in tags} == {
            "",
            *TYPES,
        }


def test_no_sentence_is_there_twice(splits):
    texts = {split: [t.lower() for t in rows.texts] for split, rows in splits.items()}
    for split, found in texts.items():
        assert len(set(found)) == len(found), split
    for one, other in combinations(texts.values(), 2):
        assert not set(one) & set(other)


def test_a_list_of_names_is_not_enough(splits):
    """Words that are two types, entities side by side, sentences without any."""
    train = splits["train"]
    of = {}
    for words, tags in zip(train.words, train.tags, strict=True):
        for kind, start, end in schemes.entities(tags, "iob2"):
            of.setdefault(" ".join(words[start:end]), set()).add(kind)
    assert of["May"] == {"PER", "DATE"} and of["Jordan"] == {"PER", "LOC"}
    beside = [
        tags
        for tags in train.tags
        for before, tag in pairwise(tags)
        if before != "O" and tag.startswith("B-")
    ]
    assert len(beside) >= 50
    assert sum(set(tags) == {"O"} for tags in train.tags) >= 100
