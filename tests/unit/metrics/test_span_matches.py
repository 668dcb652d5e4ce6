"""Partial matches are nervaluate's."""

import dataclasses

import numpy as np
import pytest
from helpers.tags import random_tags
from nervaluate import Evaluator

from kzoo.metrics.entities import Entities, read_entities
from kzoo.metrics.span_matches import WAYS, span_matches

FIGURES = ("correct", "incorrect", "partial", "missed", "spurious", "possible")
FIGURES += ("actual", "precision", "recall", "f1")


def assert_equal(found, theirs):
    for way in WAYS:
        expected = dataclasses.asdict(theirs[way])
        assert {name: found[way][name] for name in FIGURES} == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(40))
def test_agrees_with_nervaluate(seed):
    gold, said = random_tags("iob2", rows=25, seed=seed, outside=0.3, most=16)
    found = span_matches(read_entities(gold, said, "iob2"))
    types = ["A", "B-C", "D"]
    theirs = Evaluator(gold, said, tags=types, loader="list").evaluate()
    assert_equal(found["overall"], theirs["overall"])
    assert list(found["per_class"]) == types
    for name in types:
        assert_equal(found["per_class"][name], theirs["entities"][name])


@pytest.mark.parametrize("seed", range(20))
def test_long_spans_agree_with_nervaluate(seed):
    """Of more than a hundred words, one in common is none: less than 1 %."""
    rng = np.random.default_rng(seed)

    def sentence():
        spans, at = [], 0
        for _ in range(6):
            start = at + int(rng.integers(0, 60))
            at = start + int(rng.integers(1, 260))
            spans.append((str(rng.choice(["A", "B"])), start, at))
        return spans

    gold, said = [[sentence() for _ in range(4)] for _ in range(2)]
    found = span_matches(Entities(["A", "B"], gold, said))
    dicts = [
        [[{"label": t, "start": s, "end": e - 1} for t, s, e in row] for row in side]
        for side in (gold, said)
    ]
    theirs = Evaluator(*dicts, tags=["A", "B"], loader="dict").evaluate()
    assert_equal(found["overall"], theirs["overall"])
    for name in ("A", "B"):
        assert_equal(found["per_class"][name], theirs["entities"][name])


def test_by_hand():
    gold = [[("PER", 0, 2), ("LOC", 4, 5), ("ORG", 7, 9)]]
    said = [[("PER", 0, 1), ("ORG", 4, 5), ("ORG", 11, 12)]]
    found = span_matches(Entities(["LOC", "ORG", "PER"], gold, said))["overall"]
    counts = {way: [found[way][name] for name in FIGURES[:5]] for way in WAYS}
    assert counts == {
        "strict": [0, 2, 0, 1, 1],
        "exact": [1, 1, 0, 1, 1],
        "partial": [1, 0, 1, 1, 1],
        "ent_type": [1, 1, 0, 1, 1],
    }
    assert found["partial"]["f1"] == 0.5
    assert found["strict"]["f1"] == 0.0


def test_without_entities_everything_is_zero():
    found = span_matches(Entities([], [[], []], [[], []]))
    assert found["per_class"] == {}
    for way in WAYS:
        assert set(found["overall"][way].values()) == {0}
