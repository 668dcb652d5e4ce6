"""Two taggers on the same rows: what differs, and whether that is luck."""

import json

import pytest
from helpers.figures import scipys_interval
from helpers.tags import random_tags, tagged_rows
from scipy.stats import binomtest

from kzoo.metrics import tagging_metrics
from kzoo.metrics.tagging_comparison import tagging_comparison

WORDS = [text.split() for text in ("Ada Byron met Babbage in London", "Ada Byron left")]
GOLD = [tags.split() for tags in ("B-PER I-PER O B-PER O B-LOC", "B-PER I-PER O")]
FIRST = [tags.split() for tags in ("B-PER I-PER O O O B-ORG", "B-PER O B-LOC")]
SECOND = [tags.split() for tags in ("B-PER O O B-PER O B-LOC", "B-PER O O")]


def compared(gold, first, second, scheme="iob2", words=None, **options):
    scores = [[[0.9 - 0.1 * at for at in range(len(r))] for r in gold] for _ in "ab"]
    rows = tagged_rows(gold, words)
    return tagging_comparison(rows, gold, (first, second), scores, scheme, **options)


def test_by_hand():
    found = compared(GOLD, FIRST, SECOND, words=WORDS)
    assert (found["rows"], found["words"]) == (2, 9)
    assert found["labels"] == ["LOC", "ORG", "PER"]
    # Words that only one tags rightly: "Byron"; "Babbage", "London", "left".
    assert found["mcnemar"] == {
        "only_first": 1,
        "only_second": 3,
        "p_value": binomtest(1, 4).pvalue,
    }
    assert found["found"] == {"only_first": 1, "only_second": 2}
    assert found["spurious"] == {"only_first": 2, "only_second": 1}
    [one] = found["only_first"]
    assert one == {
        "row": 1,
        "line": 1,
        "text": "Ada Byron met Babbage in London",
        "gold": {"type": "PER", "entity": "Ada Byron", "start": 0, "end": 9},
        "first": {
            "type": "PER",
            "entity": "Ada Byron",
            "start": 0,
            "end": 9,
            "score": pytest.approx(0.85),
        },
        "second": {"type": "PER", "entity": "Ada", "start": 0, "end": 3, "score": 0.9},
    }
    surest, other = found["only_second"]
    assert (surest["gold"]["entity"], surest["line"]) == ("Babbage", 4)
    assert surest["first"] is None
    assert (other["gold"]["entity"], other["first"]["type"]) == ("London", "ORG")
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_the_other_way_round():
    there, back = compared(GOLD, FIRST, SECOND), compared(GOLD, SECOND, FIRST)
    for group in ("metrics", "per_class"):
        for name, one in there[group].items():
            other = back[group][name]
            assert (one["first"], one["second"]) == (other["second"], other["first"])
            assert one["difference"] == -other["difference"]
            low, high = one["interval"]
            assert other["interval"] == pytest.approx([-high, -low])
    assert there["mcnemar"]["p_value"] == back["mcnemar"]["p_value"]
    assert len(there["only_first"]) == len(back["only_second"])


@pytest.mark.parametrize("scheme", ["bioes", "plain"])
def test_figures_and_intervals_agree_with_their_sources(scheme):
    gold, first = random_tags("bioes", rows=20, seed=1)
    _, second = random_tags("bioes", rows=20, seed=1)
    second = [[tag if at % 3 else "O" for at, tag in enumerate(r)] for r in second]
    found = compared(gold, first, second, scheme, resamples=100, seed=4)
    metrics = [tagging_metrics(gold, said, scheme) for said in (first, second)]
    classes = [one.pop("per_class") for one in metrics]
    for name, one in found["metrics"].items():
        assert (one["first"], one["second"]) == (metrics[0][name], metrics[1][name])
    for name, one in found["per_class"].items():
        assert one["first"] == classes[0].get(name, {"f1": 0.0})["f1"]
        assert one["second"] == classes[1].get(name, {"f1": 0.0})["f1"]

    def difference(rows):
        drawn = [[side[int(row)] for row in rows] for side in (gold, first, second)]
        both = [tagging_metrics(drawn[0], said, scheme) for said in drawn[1:]]
        return both[1]["macro_f1"] - both[0]["macro_f1"]

    expected = scipys_interval(difference, 20, 100, 4)
    assert found["metrics"]["macro_f1"]["interval"] == pytest.approx(expected)


def test_equal_taggers():
    found = compared(GOLD, FIRST, FIRST)
    assert found["mcnemar"] == {"only_first": 0, "only_second": 0, "p_value": 1.0}
    assert (found["only_first"], found["only_second"]) == ([], [])
    assert all(one["interval"] == [0.0, 0.0] for one in found["metrics"].values())


def test_the_number_that_is_listed():
    found = compared(GOLD, FIRST, SECOND, changed=1, resamples=0)
    assert (len(found["only_second"]), found["found"]["only_second"]) == (1, 2)
    assert "interval" not in found["metrics"]["f1"]


def test_plain_tags():
    gold = [["DET", "NOUN", "VERB"]]
    found = compared(
        gold, [["DET", "NOUN", "NOUN"]], [["DET", "VERB", "VERB"]], "plain"
    )
    assert found["found"] == {"only_first": 1, "only_second": 1}
    [one] = found["only_second"]
    assert (one["gold"]["type"], one["first"]["type"]) == ("VERB", "NOUN")
    assert "spurious" not in found
