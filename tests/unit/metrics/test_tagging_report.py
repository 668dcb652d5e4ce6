"""The report of one tagger: what stands where, and what is said about it."""

import json

import pytest
from helpers.figures import scipys_interval
from helpers.tags import random_tags, tagged_rows
from seqeval.metrics import f1_score
from seqeval.scheme import IOBES

from kzoo.data.readers import Origin
from kzoo.metrics import tagging_metrics
from kzoo.metrics.tagging_report import tagging_report

LABELS = ["O", "B-LOC", "I-LOC", "B-PER", "I-PER"]
WORDS = [text.split() for text in ("Ada Byron met Babbage in London", "Ada Byron left")]
GOLD = [tags.split() for tags in ("B-PER I-PER O B-PER O B-LOC", "B-PER I-PER O")]
SAID = [tags.split() for tags in ("B-PER O B-LOC B-LOC O O", "B-PER O O")]
UNKNOWN = (
    'the model does not know the type "NEW": all gold entities of it, 1, count as wrong'
)


def report(gold, said, scheme="iob2", labels=LABELS, words=None, **options):
    scores = [[1 - 0.1 * place for place in range(len(row))] for row in gold]
    rows = tagged_rows(gold, words)
    return tagging_report(rows, gold, said, scores, scheme, labels, **options)


def test_by_hand():
    found = report(GOLD, SAID, words=WORDS)
    names = ("rows", "words", "errors", "wrong_rows", "labels", "scheme", "unknown")
    assert [found[name] for name in names] == [2, 9, 5, 2, ["LOC", "PER"], "iob2", {}]
    assert found["kinds"] == {
        "wrong type": 1,
        "wrong borders": 2,
        "wrong type and borders": 0,
        "missed": 1,
        "spurious": 1,
    }
    #                              LOC PER missed
    assert found["confusion"] == [[0, 0, 1], [1, 2, 0], [1, 0, 0]]
    ada = {"type": "PER", "entity": "Ada Byron", "start": 0, "end": 9}
    said = {"type": "PER", "entity": "Ada", "start": 0, "end": 3, "score": 1.0}
    assert found["common"][0] == {
        "kind": "wrong borders",
        "count": 2,
        "gold": ada,
        "predicted": said,
        "row": 1,
        "line": 1,
        "text": "Ada Byron met Babbage in London",
    }
    others = [(one["kind"], one["line"], one["count"]) for one in found["common"][1:]]
    assert others == [("spurious", 3, 1), ("wrong type", 4, 1), ("missed", 6, 1)]
    assert found["common"][1]["gold"] is None
    assert found["common"][3]["predicted"] is None
    first, second = found["worst"]
    assert (first["row"], first["line"], first["errors"]) == (1, 1, 4)
    assert (second["row"], second["line"], second["errors"]) == (2, 8, 1)
    assert second["gold"] == [ada | {"right": False}]
    assert second["predicted"] == [said | {"right": False}]
    assert second["wrong"] == [
        {"kind": "wrong borders", "gold": ada, "predicted": said}
    ]
    kinds = [one["kind"] for one in first["wrong"]]
    assert kinds == ["wrong borders", "spurious", "wrong type", "missed"]
    assert found["notes"] == [
        'none was rightly predicted as "LOC", "PER": their F1 is 0'
    ]
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_figures_agree_with_their_sources():
    gold, said = random_tags("bioes", rows=60, seed=3)
    found = report(gold, said, "bioes", ["S-A", "B-B-C", "E-D", "O"], worst=4)
    metrics = tagging_metrics(gold, said, "bioes")
    per_class = metrics.pop("per_class")
    assert {name: found[name] for name in metrics} == metrics
    for name, one in per_class.items():
        assert {key: found["per_class"][name][key] for key in one} == one
    for average in ("micro", "macro", "weighted"):
        options = {"average": average, "zero_division": 0}
        lenient, strict = (found["averages"][way] for way in ("lenient", "strict"))
        assert lenient[average]["f1"] == pytest.approx(f1_score(gold, said, **options))
        assert strict[average]["f1"] == pytest.approx(
            f1_score(gold, said, mode="strict", scheme=IOBES, **options)
        )
    assert found["matches"]["overall"]["exact"]["possible"] == sum(
        one["support"] for one in found["per_class"].values()
    )
    assert found["errors"] == sum(found["kinds"].values())
    assert (len(found["common"]), len(found["worst"])) == (4, 4)
    counts = [one["errors"] for one in found["worst"]]
    assert counts == sorted(counts, reverse=True)
    everything = report(gold, said, "bioes", LABELS, worst=10**6, resamples=0)
    assert sum(one["count"] for one in everything["common"]) == everything["errors"]
    assert len(everything["worst"]) == everything["wrong_rows"]


@pytest.mark.parametrize("scheme", ["iob2", "plain"])
def test_intervals_are_scipys(scheme):
    gold, said = random_tags("iob2", rows=25, seed=5)
    labels = sorted({tag for row in gold for tag in row})
    found = report(gold, said, scheme, labels, resamples=150, seed=7)

    def figure(name):
        def of(rows):
            rows = rows.astype(int)
            drawn = [[side[row] for row in rows] for side in (gold, said)]
            return tagging_metrics(*drawn, scheme)[name]

        return of

    for name in ("accuracy", "macro_f1") if scheme == "plain" else ("f1", "strict_f1"):
        expected = scipys_interval(figure(name), 25, 150, 7)
        assert found["intervals"][name] == pytest.approx(expected, abs=1e-12)
    name = labels[0] if scheme == "plain" else "A"

    def of_type(rows):
        drawn = [[side[int(row)] for row in rows] for side in (gold, said)]
        return tagging_metrics(*drawn, scheme)["per_class"][name]["f1"]

    expected = scipys_interval(of_type, 25, 150, 7)
    assert found["per_class"][name]["interval"] == pytest.approx(expected, abs=1e-12)
    for name, (low, high) in found["intervals"].items():
        assert 0 <= low <= found[name] <= high <= 1


def test_without_resamples_there_are_no_intervals():
    found = report(GOLD, SAID, resamples=0)
    assert found["intervals"] == {}
    assert not [one for one in found["per_class"].values() if "interval" in one]


@pytest.mark.parametrize(
    "gold, said, notes",
    [
        (
            [["O"]],
            [["O"]],
            [
                "no entity is gold and none is predicted: "
                "F1 has no value and counts as 0"
            ],
        ),
        (
            [["O"]],
            [["B-LOC"]],
            ["no entity is gold: recall has no value, and counts as 0 like F1"],
        ),
        (
            [["B-LOC", "B-NEW"]],
            [["O", "O"]],
            [
                UNKNOWN,
                "no entity is predicted: precision has no value, and counts as 0 like "
                "F1",
            ],
        ),
        (
            [["B-LOC", "B-NEW"]],
            [["B-LOC", "O"]],
            [
                UNKNOWN,
                'no row has the type "PER": its recall counts as 0',
            ],
        ),
        ([["B-LOC", "B-PER"]], [["B-LOC", "B-PER"]], []),
    ],
)
def test_what_has_no_value_is_said(gold, said, notes):
    found = report(gold, said)
    assert found["notes"] == notes
    new = sum(tag.endswith("NEW") for tag in gold[0])
    assert found["unknown"] == ({"NEW": new} if new else {})
    assert list(found["per_class"]) == sorted({"LOC", "PER", *found["unknown"]})


def test_plain_tags():
    gold = [["DET", "NOUN", "VERB"], ["NOUN", "VERB"]]
    said = [["DET", "NOUN", "NOUN"], ["NOUN", "NOUN"]]
    words = [["the", "cat", "ran"], ["cats", "ran"]]
    found = report(gold, said, "plain", ["DET", "NOUN", "VERB", "X"], words)
    assert found["confusion"] == [[1, 0, 0, 0], [0, 2, 0, 0], [0, 2, 0, 0], [0] * 4]
    assert (found["errors"], found["words"], found["accuracy"]) == (2, 5, 0.6)
    [one] = found["common"]
    assert (one["count"], one["line"], one["text"]) == (2, 3, "the cat ran")
    assert one["gold"] == {"type": "VERB", "entity": "ran", "start": 8, "end": 11}
    assert one["predicted"]["type"] == "NOUN"
    assert one["predicted"]["score"] == pytest.approx(0.8)
    # Of as many errors, that of which the tagger was surer comes first.
    assert [one["row"] for one in found["worst"]] == [2, 1]
    assert "matches" not in found and "averages" not in found
    assert found["notes"] == [
        'no row has the tag "X": its recall counts as 0',
        'none was rightly predicted as "VERB": its F1 is 0',
    ]


def test_of_several_files_the_file_is_named():
    origins = [Origin("a.conll"), Origin("b.conll")]
    rows = tagged_rows(GOLD, WORDS, origins=origins)
    scores = [[1.0] * len(row) for row in GOLD]
    found = tagging_report(rows, GOLD, SAID, scores, "iob2", LABELS, resamples=0)
    assert [one["file"] for one in found["worst"]] == ["a.conll", "b.conll"]
