"""The bundled corpus of summaries is what its page says."""

import re
from importlib import resources
from itertools import combinations, pairwise
from statistics import fmean

import pytest
from kzoo_recipes import SummarizerData

from kzoo.data.pairs import load_paired_splits
from kzoo.metrics import summary_metrics

FOLDER = resources.files("kzoo.data.bundled") / "short_reports"
PAGE = (FOLDER / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def splits():
    data = SummarizerData(source="kzoo:short_reports", references="references")
    return load_paired_splits(data)


def words(texts):
    return sum(len(text.split()) for text in texts)


def pairs_of_words(text):
    found = re.findall(r"\w+", text.lower())
    return set(pairwise(found))


def test_its_page_counts_right(splits):
    said = re.findall(r"`(\w+)\.jsonl` \| ([\d,]+) \| ([\d,]+) \| ([\d,]+)", PAGE)
    assert {split: [int(n.replace(",", "")) for n in ns] for split, *ns in said} == {
        split: [len(rows), words(rows.documents), words(rows.summaries)]
        for split, rows in splits.items()
    }
    several = sum(len(references) > 1 for references in splits["test"].references)
    assert f"{several} of the {len(splits['test'])} have two or three" in PAGE
    assert {len(references) for references in splits["test"].references} == {1, 2, 3}


def test_its_page_measures_right(splits):
    test = splits["test"]
    for place, name in ((0, "first"), (-1, "last")):
        chosen = [re.split(r"(?<=[.?])\s", text)[place] for text in test.documents]
        found = summary_metrics(test.references, chosen)
        figures = [f"{100 * found[key]:.1f}" for key in ("rouge1", "rouge2", "rougeL")]
        assert f"| the {name} sentence | {' | '.join(figures)} |" in PAGE


def test_a_summary_is_not_cut_out_of_its_document(splits):
    test = splits["test"]
    new = []
    for document, summary in zip(test.documents, test.summaries, strict=True):
        said = pairs_of_words(summary)
        new.append(len(said - pairs_of_words(document)) / len(said))
        assert summary not in document
    assert f"{fmean(new):.0%}".replace("%", " %") in PAGE


def test_what_a_summary_names_is_in_its_document(splits):
    """Names and figures of all references: whoever copies them can be right."""
    for rows in splits.values():
        for document, references in zip(rows.documents, rows.references, strict=True):
            for summary in references:
                named = re.findall(r"(?<=\s)[A-Z][a-z]+|\d[\d,]*\d", summary)
                assert [name for name in named if name not in document] == []


def test_nothing_is_there_twice(splits):
    for rows in splits.values():
        assert len(set(rows.documents)) == len(rows)
    for one, other in combinations(splits.values(), 2):
        assert not set(one.documents) & set(other.documents)
        assert not set(one.summaries) & set(other.summaries)


def test_the_summary_is_the_first_reference(splits):
    for rows in splits.values():
        firsts = [references[0] for references in rows.references]
        assert firsts == rows.summaries
