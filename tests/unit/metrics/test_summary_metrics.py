"""Figures of summaries: against NumPy's means of rouge-score's own."""

import json

import numpy as np
import pytest
from helpers.summaries import random_summaries
from kzoo_recipes import KzooError
from rouge_score.rouge_scorer import RougeScorer

from kzoo.metrics import summary_metrics
from kzoo.metrics.sentences import sentences


def test_figures_are_means_over_rows():
    documents, references, predictions = random_summaries(rows=30, seed=1)
    found = summary_metrics(references, predictions, documents)
    assert json.loads(json.dumps(found)) == found
    types = ("rouge1", "rouge2", "rougeL", "rougeLsum")
    scorer = RougeScorer(types, use_stemmer=True)
    rows = [
        [
            one.fmeasure
            for one in scorer.score_multi(
                ["\n".join(sentences(gold)) for gold in own],
                "\n".join(sentences(said)),
            ).values()
        ]
        for own, said in zip(references, predictions, strict=True)
    ]
    expected = np.mean(rows, axis=0)
    np.testing.assert_allclose([found[name] for name in types], expected, rtol=1e-12)
    count = lambda text: len(text.split())
    gold = sum(np.mean([count(one) for one in own]) for own in references)
    ratio = sum(map(count, predictions)) / gold
    np.testing.assert_allclose(found["length_ratio"], ratio, rtol=1e-12)
    assert found["empty"] == 1 / 30
    assert 0 < found["novel_bigrams"] < 1 and 0 < found["copy_rate"] < 1
    assert found["copy_density"] > found["copy_rate"]
    bare = summary_metrics(references, predictions)
    assert bare == {name: found[name] for name in bare} and "copy_rate" not in bare


def test_a_copy_and_an_empty_prediction():
    found = summary_metrics([["the cat sat"], ["a dog"]], ["The cat sat!", ""])
    assert [found[name] for name in ("rouge1", "rougeLsum", "empty")] == [0.5] * 3
    assert found["length_ratio"] == 3 / 5
    nothing = summary_metrics([["the cat"]], [" "], ["the cat sat"])
    assert {name for name, value in nothing.items() if value} == {"empty"}


def test_the_stemmer_can_be_off():
    said = [["ferries ran"]], ["ferry ran"]
    assert summary_metrics(*said)["rouge1"] == 1.0
    assert summary_metrics(*said, stemmer=False)["rouge1"] == 0.5


def test_a_repeated_trigram():
    found = summary_metrics([["a"]], ["a b c a b c"])
    assert found["repeated_trigrams"] == 1 / 4


@pytest.mark.parametrize(
    "references, sentence",
    [
        ([["a"], ["  "]], "row 2: the reference summary is empty, and nothing"),
        ([["a", ""], ["b"]], "row 1: reference summary 2 of 2 is empty, and nothing"),
    ],
)
def test_an_empty_reference_is_an_error_of_its_row(references, sentence):
    with pytest.raises(KzooError) as caught:
        summary_metrics(references, ["a", "b"])
    assert str(caught.value).startswith(sentence)


def test_other_letters_are_refused_and_not_counted_as_zero():
    references, predictions = [["привет мир"], ["да"], ["ok"]], ["привет", "да", "ok"]
    with pytest.raises(KzooError, match="row 1: the reference summary has no letter"):
        summary_metrics(references, predictions)
    found = summary_metrics(references, predictions, tokenizer="unicode")
    np.testing.assert_allclose(found["rouge1"], (2 / 3 + 1 + 1) / 3, rtol=1e-15)
    assert summary_metrics([["да"], ["ok"]], ["да", "ok"])["rouge1"] == 0.5


@pytest.mark.parametrize(
    "references, predictions, received",
    [
        ([], [], "references=0"),
        ([["a"]], ["a", "b"], "predictions=2"),
        ([["a"], []], ["a", "b"], r"references\[1\]=\[\]"),
        (["a"], ["a"], r"references\[0\]='a'"),
    ],
)
def test_what_cannot_be_measured(references, predictions, received):
    with pytest.raises(ValueError, match=f"Received: .*{received}"):
        summary_metrics(references, predictions)
