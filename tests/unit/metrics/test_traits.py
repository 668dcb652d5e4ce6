"""What a corpus of summaries is like, against figures worked out by hand."""

import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer

from kzoo.metrics.traits import traits


def test_by_hand():
    documents = ["The cat sat. It slept on a mat!", "Dogs bark at cats"]
    summaries = ["the cat slept", "Dogs bark"]
    found = traits(documents, summaries)
    assert found["rows"] == 2
    assert found["compression"] == pytest.approx((8 / 3 + 4 / 2) / 2)
    assert found["novel_ngrams"][:2] == pytest.approx([0, (1 / 2 + 0) / 2])
    assert found["coverage"] == 1
    assert found["density"] == pytest.approx(((4 + 1) / 3 + 4 / 2) / 2)
    assert found["first_sentence"] == pytest.approx((2 / 3 + 2 * 2 / 6) / 2)


def test_the_first_sentence_is_measured_as_rouge_score_measures():
    documents = ["Heavy rain fell. Then none.", "A dog, a dog!", "Alone"]
    summaries = ["rain fell on us", "dog a dog a a", "Other"]
    firsts = ["Heavy rain fell.", "A dog, a dog!", "Alone"]
    scorer = RougeScorer(["rouge1"])
    expected = [
        scorer.score(summary, first)["rouge1"].fmeasure
        for summary, first in zip(summaries, firsts, strict=True)
    ]
    found = traits(documents, summaries)["first_sentence"]
    assert found == pytest.approx(np.mean(expected))


def test_of_many_rows_some_are_looked_at_from_first_to_last():
    documents = ["a b"] + ["a b c d"] * 98 + ["a b c d e f"]
    summaries = ["x"] * 100
    assert traits(documents, summaries, most=2)["compression"] == 4.0
    assert traits(documents, summaries, most=2)["rows"] == 2
    assert traits(documents, summaries, most=None)["rows"] == 100


def test_texts_without_words():
    found = traits(["!!!", "a"], ["?", "…"])
    assert found["compression"] == 1 and found["first_sentence"] == 0
    assert all(np.isfinite([*found["novel_ngrams"], found["coverage"]]))
