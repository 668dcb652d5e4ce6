"""When two taggers can be compared, and on which tags."""

from types import SimpleNamespace

import pytest
from helpers.tags import tagged_rows
from helpers.toys import once

from kzoo.training.contestants import CONTESTS

TAGGERS = CONTESTS["token_tagger"]
GOLD = [["B-A", "I-A", "O", "B-A", "B-A"]]
pytestmark = once


def rows_of(tags, scheme="iob2", words=None):
    return tagged_rows(tags, words, scheme=scheme)


def answered(run, gold, predicted, scheme, names=("O", "B-A", "I-A")):
    return SimpleNamespace(
        run=run,
        rows=rows_of(gold, scheme),
        gold=gold,
        predicted=predicted,
        scores=[[0.5] * len(row) for row in gold],
        scheme=scheme,
        names=list(names),
    )


def test_entities_are_not_compared_with_plain_tags():
    models = [SimpleNamespace(scheme=scheme) for scheme in ("bioes", "plain")]
    reason = "a finds entities, b has a plain tag for each word"
    assert TAGGERS.obstacle(("a", "b"), models) == reason
    assert TAGGERS.obstacle(("b", "a"), models[::-1]) == reason
    assert TAGGERS.obstacle(("a", "b"), [models[0]] * 2) is None


@pytest.mark.parametrize(
    "others, reason",
    [
        (rows_of(GOLD), None),
        (
            rows_of([["B-A", "I-A", "B-A", "B-A", "B-A"]]),
            'word 3 of row 1 is tagged "O"',
        ),
        # Another scheme spells the same entities, as far as both can.
        (rows_of([["B-A", "E-A", "O", "S-A", "S-A"]], "bioes"), None),
        (rows_of([["I-A", "I-A", "O", "I-A", "I-A"]], "io"), None),
        (rows_of([["I-A", "I-A", "O", "O", "I-A"]], "io"), "word 4 of row 1 is tagged"),
        (rows_of(GOLD, words=[list("abcde")]), "row 1 has other words in each"),
    ],
)
def test_rows_must_be_the_same(others, reason):
    found = TAGGERS.difference(rows_of(GOLD), others, 0)
    assert found is None if reason is None else reason in found
    assert reason is None or "rows.conll, line" in found


def test_one_scheme():
    said = [["B-A", "O", "O", "B-A", "B-A"]]
    both = [answered(run, GOLD, said, "iob2") for run in ("a", "b")]
    found = TAGGERS.figures(None, both, (0, 0, 10))
    assert (found["scheme"], found["notes"]) == ("iob2", [])
    assert found["metrics"]["f1"]["first"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "schemes, place", [(("io", "iob2"), 1), (("bioes", "io"), 0), (("io", "io"), 1)]
)
def test_rows_are_read_in_the_scheme_that_tells_more(schemes, place):
    """Entities that touch become one in IO; the other model's gold must keep them."""
    assert TAGGERS.reader([SimpleNamespace(scheme=one) for one in schemes]) == place


@pytest.mark.parametrize("turned", [False, True])
def test_two_schemes_are_read_as_one(turned):
    first = answered("a", [["I-A", "I-A", "O", "I-A", "I-A"]], GOLD, "io")
    first.predicted = first.gold
    second = answered("b", [["B-A", "E-A", "O", "S-A", "S-A"]], None, "bioes")
    second.predicted = second.gold
    both = [second, first] if turned else [first, second]
    found = TAGGERS.figures(None, both, (0, 0, 10))
    of = {"a": "second" if turned else "first", "b": "first" if turned else "second"}
    # The last two entities are one to whom tags cannot tell apart: 1 of 2, of 3.
    assert found["metrics"]["f1"][of["a"]] == pytest.approx(2 / 5)
    assert found["metrics"]["f1"][of["b"]] == 1.0
    [note] = found["notes"]
    assert "are compared as iob2" in note


def test_what_only_one_knows_is_said():
    first = answered("a", GOLD, GOLD, "iob2")
    second = answered("b", GOLD, GOLD, "iob2", ("O", "B-A", "I-A", "B-C", "I-C"))
    found = TAGGERS.figures(None, [first, second], (0, 0, 10))
    assert found["notes"] == ['a does not know "C"']
