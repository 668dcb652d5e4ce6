"""ROUGE against rouge-score on its own, and what words are to it."""

import numpy as np
import pytest
from helpers.summaries import random_summaries
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from kzoo.metrics.rouge import SHARES, TYPES, score
from kzoo.metrics.rouge_words import Words
from kzoo.metrics.sentences import sentences


def lines(text):
    return "\n".join(sentences(text))


@pytest.mark.parametrize("stemmer", [True, False])
def test_scores_are_those_of_rouge_score(stemmer):
    _, references, predictions = random_summaries(rows=40)
    found = score(references, predictions, Words(stemmer=stemmer))
    scorer = RougeScorer(TYPES, use_stemmer=stemmer)
    for row, (own, said) in enumerate(zip(references, predictions, strict=True)):
        one_by_one = [
            list(scorer.score(lines(gold), lines(said)).values()) for gold in own
        ]
        best = scorer.score_multi(list(map(lines, own)), lines(said))
        np.testing.assert_array_equal(found.best()[row], list(best.values()))
        np.testing.assert_allclose(
            found.mean()[row], np.mean(one_by_one, axis=0), rtol=1e-15
        )


def test_sentences_on_lines_of_their_own_make_lsum_another_figure():
    gold = "The ferry ran late. The mayor opened the harbour."
    said = "The mayor opened the harbour. The ferry ran late."
    found = score([[gold]], [said], Words()).best()[0]
    assert found[TYPES.index("rougeLsum")].tolist() == [1.0, 1.0, 1.0]
    assert found[TYPES.index("rougeL"), 2] == 5 / 9


def test_each_type_has_a_best_reference_of_its_own():
    references = ["b a d c e f", "a b c d x y z w v u t s"]
    found = score([references], ["a b c d e f"], Words())
    single = [score([[one]], ["a b c d e f"], Words()).best()[0] for one in references]
    assert single[0][0, 2] > single[1][0, 2]  # of single words
    assert single[0][1, 2] < single[1][1, 2]  # of pairs
    np.testing.assert_array_equal(found.best()[0, 0], single[0][0])
    np.testing.assert_array_equal(found.best()[0, 1], single[1][1])


def test_what_has_no_words_has_zero():
    found = score([["a b"], ["!?"], ["a"]], ["", "a b", " ... "], Words())
    assert not found.pairs.any() and found.pairs.shape == (3, 4, len(SHARES))


def test_the_stemmer_is_porters():
    assert Words().tokenize("Running ferries, 12 ties") == ["run", "ferri", "12", "tie"]
    assert Words(stemmer=False).tokenize("Running") == ["running"]
    assert Words().split("Running") == ["running"]
    assert (Words().stemmer, Words(stemmer=False).stemmer) == ("porter", None)
    assert Words("unicode").stemmer is None
    assert Words("unicode", stemmer=True).tokenize("Running Häuser") == [
        "run",
        "häuser",
    ]


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(max_codepoint=127)), st.booleans())
def test_of_ascii_both_tokenizers_have_the_same_words(text, stemmer):
    both = [Words(name, stemmer).tokenize(text) for name in ("rouge-score", "unicode")]
    assert both[0] == both[1]


@pytest.mark.parametrize(
    "text, words",
    [
        ("Déjà-vu in Ω", ["déjà", "vu", "in", "ω"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
        ("使用GPU训练", ["使", "用", "gpu", "训", "练"]),
        ("カメラ が", ["カ", "メ", "ラ", "が"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("Привет, мир!", ["привет", "мир"]),
        ("ＡＢＣ １２", ["abc", "12"]),
        ("cafe\u0301", ["café"]),
        ("…!?", []),
    ],
)
def test_words_of_any_script(text, words):
    assert Words("unicode").tokenize(text) == words


def test_what_rouge_scores_tokenizer_loses():
    loses = Words().loses
    assert loses("Привет") and loses("训练")
    assert (
        not loses("") and not loses("!?") and not loses("…") and not loses("Привет 5")
    )
    assert not Words("unicode").loses("Привет")


def test_a_tokenizer_that_there_is_not():
    with pytest.raises(ValueError, match="Received: tokenizer='spacy'"):
        Words("spacy")
