"""The report of summaries: every figure against a plain way to get it."""

import json

import numpy as np
import pytest
from helpers.summaries import paired_rows
from kzoo_recipes import KzooError
from rouge_score.rouge_scorer import RougeScorer

from kzoo.metrics import summary_metrics
from kzoo.metrics.ratios import Ratios, ratios_resampled
from kzoo.metrics.sentences import sentences
from kzoo.metrics.summary_report import summary_report

TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")


def by_hand(references, predictions):
    """P, R and F of each row and type, best reference of each: `(rows, 4, 3)`."""
    scorer = RougeScorer(TYPES, use_stemmer=True)
    lines = lambda text: "\n".join(sentences(text))
    rows = zip(references, predictions, strict=True)
    return np.array(
        [
            list(scorer.score_multi(list(map(lines, own)), lines(said)).values())
            for own, said in rows
        ]
    )


def test_rouge_of_predictions_and_of_the_first_sentences():
    rows, predictions = paired_rows(30)
    found = summary_report(rows, predictions, resamples=0)
    assert json.loads(json.dumps(found)) == found
    count = np.mean([len(sentences(one)) for own in rows.references for one in own])
    assert found["lead_sentences"] == round(count)
    leads = ["\n".join(sentences(text)[: round(count)]) for text in rows.documents]
    best, lead = by_hand(rows.references, predictions), by_hand(rows.references, leads)
    for at, name in enumerate(TYPES):
        own = found["rouge"][name]
        for way, scores in (("best", best), ("lead", lead)):
            shares = [own[way][share] for share in ("precision", "recall", "f1")]
            np.testing.assert_allclose(shares, scores[:, at].mean(axis=0), rtol=1e-12)
        more = (best - lead)[:, at, 2].mean()
        np.testing.assert_allclose(own["lead"]["difference"]["value"], more, rtol=1e-9)
        assert own["mean"]["f1"] < own["best"]["f1"] == found[name]
        assert "intervals" not in own["best"]
    assert found["intervals"] == {}
    several = sum(len(own) > 1 for own in rows.references)
    total = sum(map(len, rows.references))
    assert found["references"] == {"total": total, "rows_with_several": several}


def test_it_holds_the_figures_of_each_epoch():
    rows, predictions = paired_rows()
    found = summary_report(rows, predictions, [True] + [False] * 24, resamples=0)
    figures = summary_metrics(rows.references, predictions, rows.documents)
    floats = {name: value for name, value in found.items() if isinstance(value, float)}
    assert floats == figures | {"truncated": 1 / 25}
    assert "truncated" not in summary_report(rows, predictions, resamples=0)


def test_intervals_are_percentiles_of_means_over_drawn_rows():
    rows, predictions = paired_rows(20)
    cut = [row < 5 for row in range(20)]
    found = summary_report(rows, predictions, cut, resamples=50, seed=3)
    best = by_hand(rows.references, predictions)
    leads = ["\n".join(sentences(text)[:2]) for text in rows.documents]
    assert found["lead_sentences"] == 2
    more = best - by_hand(rows.references, leads)
    rng = np.random.default_rng(3)
    draws = [rng.integers(0, 20, 20) for _ in range(50)]
    figures = {
        "rouge2": lambda draw: best[draw, 1, 2].mean(),
        "truncated": lambda draw: np.mean(np.array(cut)[draw]),
        "empty": lambda draw: np.mean(draw == 10),
    }
    for name, figure in figures.items():
        expected = np.percentile([figure(draw) for draw in draws], [2.5, 97.5])
        np.testing.assert_allclose(found["intervals"][name], expected, rtol=1e-9)
    own = found["rouge"]["rougeL"]
    expected = np.percentile([best[d, 2, 1].mean() for d in draws], [2.5, 97.5])
    np.testing.assert_allclose(own["best"]["intervals"]["recall"], expected, rtol=1e-9)
    expected = np.percentile([more[d, 2, 2].mean() for d in draws], [2.5, 97.5])
    difference = own["lead"]["difference"]["interval"]
    np.testing.assert_allclose(difference, expected, rtol=1e-9)
    assert found["bootstrap"]["resamples"] == 50 and found["bootstrap"]["seed"] == 3


def test_rows_without_a_value_do_not_count():
    values = np.array([1.0, np.nan, 3.0])
    ratios = Ratios.of({"mean": values, "sums": (np.array([1, 2, 3]), np.ones(3) * 4)})
    assert ratios.figures() == {"mean": 2.0, "sums": 0.5}
    drawn = ratios.drawn(np.array([[0.0, 3.0, 0.0], [2.0, 0.0, 1.0]]))
    np.testing.assert_allclose(drawn["mean"], [0.0, 5 / 3])
    parts = [ratios_resampled([ratios], 9, 1, at)[0]["mean"] for at in (2, 64)]
    np.testing.assert_array_equal(*parts)


def test_worst_and_best_rows():
    rows, predictions = paired_rows(30)
    cut = [row % 2 == 0 for row in range(30)]
    found = summary_report(rows, predictions, cut, resamples=0, worst=4)
    best = by_hand(rows.references, predictions)
    keys = [(*best[row, [2, 0], 2], row) for row in range(30)]
    order = [row for _, _, row in sorted(keys)]
    assert [one["row"] - 1 for one in found["worst"]] == order[:4]
    order = [row for _, _, row in sorted((-a, -b, row) for a, b, row in keys)]
    assert [one["row"] - 1 for one in found["best"]] == order[:4]
    first = found["best"][0]
    assert first["line"] == first["row"] + 1
    assert first["text"] == rows.documents[order[0]]
    assert first["references"] == rows.references[order[0]]
    assert first["prediction"] == predictions[order[0]]
    assert first["truncated"] is cut[order[0]]
    assert [first[name] for name in TYPES] == best[order[0], :, 2].tolist()


def test_what_texts_are_like():
    rows, predictions = paired_rows(3, most=1)
    rows.documents[:] = ["Ferries ran late. The mayor spoke."] * 3
    rows.references[:] = [["The mayor spoke late."]] * 3
    predictions = ["Ferries ran late ran late ran late.", "", "Zebra. Zebra."]
    found = summary_report(rows, predictions, resamples=0)
    texts = found["texts"]
    assert texts["documents"] == {"words": 6.0, "sentences": 2.0}
    assert texts["references"]["words"] == 4.0
    assert texts["references"]["coverage"] == 1.0
    assert texts["references"]["novel_ngrams"] == [0, 1 / 3, 0.5, 1.0]
    assert texts["lead"]["longest_copy"] == texts["lead"]["density"] == 3.0
    assert texts["predictions"]["sentences"] == 1.0
    assert found["copy_rate"] == 0.5
    assert found["length_ratio"] == 9 / 12
    assert found["repeated_trigrams"] == 2 / 5  # the last has no trigram
    assert (found["empty"], found["empty_rows"]) == (1 / 3, 1)


def test_how_it_was_scored():
    rows, predictions = paired_rows(3)
    found = summary_report(rows, predictions, resamples=0)["scoring"]
    assert found["package"] == "rouge-score" and found["version"][0].isdigit()
    assert found["tokenizer"] == "rouge-score" and found["stemmer"] == "porter"
    assert "line breaks" in found["sentences"] and "highest F1" in found["references"]
    found = summary_report(rows, predictions, tokenizer="unicode", resamples=0)
    assert found["scoring"]["stemmer"] is None
    assert found["scoring"]["tokenizer"] == "unicode"


def test_notes():
    rows, predictions = paired_rows(4, most=1)
    predictions = ["a", "b", "c", "d"]
    rows.references[:] = [["a"], ["b"], ["c"], ["d"]]
    assert summary_report(rows, predictions, resamples=0)["notes"] == []
    rows.references[:] = [["привет"], ["!!"], ["ß à é"], ["d 1"]]
    said = summary_report(rows, ["да", " ", "", "d"], resamples=0)["notes"]
    assert said == [
        "2 predictions are empty and count as 0",
        "1 reference has no letter and no digit: what is held against it has 0",
        "2 references have letters, but none of a–z and 0–9, which are all that "
        "rouge-score's tokenizer knows, and so 1 prediction has: they count as 0; "
        "--rouge-tokenizer unicode knows all",
        "50.0% of the words of the references have letters (à é в е и …) at which "
        "rouge-score's tokenizer parts or drops them; --rouge-tokenizer unicode knows "
        "all",
    ]
    said = summary_report(rows, ["да", " ", "", "d"], None, "unicode", resamples=0)
    assert len(said["notes"]) == 2


def test_an_empty_reference_names_its_row():
    rows, predictions = paired_rows(4)
    rows.references[2] = ["a", "\u200b"]
    with pytest.raises(KzooError, match=r"rows\.csv, line 4: reference summary 2 of 2"):
        summary_report(rows, predictions)


def test_of_few_rows_there_is_no_interval_and_no_row_is_in_both_lists():
    for count in (1, 2, 9):
        rows, predictions = paired_rows(count)
        found = summary_report(rows, predictions, resamples=50)
        assert found["intervals"] == {}
        assert found["bootstrap"]["resamples"] == 0
        assert found["notes"][-1] == (
            f"too few rows for an interval: {count}, and at least 10 are needed"
        )
        listed = [one["row"] for one in (*found["worst"], *found["best"])]
        assert sorted(listed) == list(range(1, count + 1))
        assert len(found["worst"]) - len(found["best"]) in (0, 1)
    enough = summary_report(*paired_rows(10), resamples=50)
    assert enough["intervals"] and not any("few" in n for n in enough["notes"])


def test_equal_rows_are_listed_once():
    rows, _ = paired_rows(5)
    same = [own[0] for own in rows.references]
    found = summary_report(rows, same, resamples=0, worst=2)
    assert [one["row"] for one in found["worst"]] == [1, 2]
    assert [one["row"] for one in found["best"]] == [3, 4]
