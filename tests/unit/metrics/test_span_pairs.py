"""Which gold entity a predicted one answers, and the confusions that follow."""

import itertools

import pytest
from helpers.tags import random_tags

from kzoo.metrics.entities import read_entities
from kzoo.metrics.span_pairs import Pair, confusion, kinds_of_errors, pair_up


@pytest.mark.parametrize(
    "gold, said, pairs",
    [
        # Nothing shared: missed and spurious, in the order of the sentence.
        ([("A", 3, 4)], [("A", 0, 3)], [(None, 0), (0, None)]),
        # The same words win over the same type.
        ([("A", 0, 1), ("B", 1, 4)], [("B", 0, 1), ("A", 1, 4)], [(0, 0), (1, 1)]),
        # The same type wins over more words in common.
        ([("A", 0, 5)], [("B", 0, 4), ("A", 4, 6)], [(None, 0), (0, 1)]),
        # More words in common win; then the earlier.
        ([("A", 0, 5)], [("A", 0, 2), ("A", 2, 5)], [(None, 0), (0, 1)]),
        ([("A", 0, 4)], [("A", 0, 2), ("A", 2, 4)], [(0, 0), (None, 1)]),
        # One predicted entity answers one gold one.
        ([("A", 0, 2), ("A", 2, 3)], [("A", 0, 3)], [(0, 0), (1, None)]),
        ([], [], []),
    ],
)
def test_pairs(gold, said, pairs):
    expected = [
        Pair(*(None if place is None else side[place] for side, place in both))
        for both in ([(gold, one), (said, other)] for one, other in pairs)
    ]
    key = lambda pair: (pair.start, pair.gold is None)
    assert sorted(pair_up(gold, said), key=key) == sorted(expected, key=key)


@pytest.mark.parametrize(
    "pair, kind",
    [
        (Pair(("A", 0, 1), ("A", 0, 1)), None),
        (Pair(("A", 0, 1), ("B", 0, 1)), "wrong type"),
        (Pair(("A", 0, 1), ("A", 0, 2)), "wrong borders"),
        (Pair(("A", 0, 1), ("B", 0, 2)), "wrong type and borders"),
        (Pair(("A", 0, 1), None), "missed"),
        (Pair(None, ("A", 0, 1)), "spurious"),
    ],
)
def test_kinds(pair, kind):
    assert pair.kind == kind


def test_confusions_by_hand():
    pairs = [
        Pair(("A", 0, 1), ("A", 0, 2)),
        Pair(("A", 0, 1), ("B", 0, 1)),
        Pair(("B", 0, 1), None),
        Pair(None, ("B", 0, 1)),
    ]
    assert confusion(pairs, ["A", "B"]) == [[1, 1, 0], [0, 0, 1], [0, 1, 0]]
    assert confusion([], []) == [[0]]


@pytest.mark.parametrize("seed", range(5))
def test_every_entity_is_in_one_pair(seed):
    entities = read_entities(*random_tags("bioes", seed=seed), "bioes")
    rows = zip(entities.gold, entities.predicted, strict=True)
    pairs = [pair_up(*row) for row in rows]
    for gold, said, own in zip(entities.gold, entities.predicted, pairs, strict=True):
        assert sorted(p.gold for p in own if p.gold) == sorted(gold)
        assert sorted(p.predicted for p in own if p.predicted) == sorted(said)
        shared = [p for p in own if p.gold and p.predicted]
        assert all(
            max(p.gold[1], p.predicted[1]) < min(p.gold[2], p.predicted[2])
            for p in shared
        )
        # No two that are left over could have been a pair.
        left = [p.gold for p in own if not p.predicted]
        over = [p.predicted for p in own if not p.gold]
        assert not [
            (a, b)
            for a, b in itertools.product(left, over)
            if max(a[1], b[1]) < min(a[2], b[2])
        ]
    flat = [pair for own in pairs for pair in own]
    counts = confusion(flat, entities.types)
    found, gold, said = entities.counts().sum(axis=1)
    for at, _ in enumerate(entities.types):
        assert sum(counts[at]) == gold[at]
        assert sum(row[at] for row in counts) == said[at]
    right = sum(pair.kind is None for pair in flat)
    assert right == found.sum()
    assert sum(kinds_of_errors(flat).values()) == len(flat) - right
