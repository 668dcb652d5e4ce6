"""Each rule against its definition, and how few scores it needs."""

import numpy as np
import pytest
from helpers.decoders import NumpyDecoder, sources
from helpers.naive_scores import END, START, same, scorer, searched
from reference.naive_generation import beam_search, ruled

from kzoo.generation import Generation, generate

V, LENGTH = 23, 8
RULES = {
    "least": {"min_new_tokens": 3},
    "no token twice": {"no_repeat_ngram": 1},
    "no two tokens twice": {"no_repeat_ngram": 2},
    "less repetition": {"repetition_penalty": 1.5},
    "more repetition": {"repetition_penalty": 0.7},
    "first and last": {"forced_first": 9, "forced_last": END},
    "suppressed": {"suppress": [4, 5, 6]},
    "bad words": {"bad_words": [[5], [6, 7], [8, 9, 10], [11, 11], [12, 3], [13, 3]]},
    "all at once": {
        "min_new_tokens": 4,
        "no_repeat_ngram": 2,
        "repetition_penalty": 1.2,
        "forced_last": END,
        "suppress": [5],
        "bad_words": [[7, 8], [9]],
    },
}


@pytest.fixture(scope="module")
def decoder():
    return NumpyDecoder(V, seed=1)


@pytest.mark.parametrize("rule", RULES)
def test_beams_keep_it(decoder, rule):
    token_ids, mask = sources(15, V, seed=2)
    settings = {"beams": 3, "nbest": 3, "max_new_tokens": LENGTH, **RULES[rule]}
    found = searched(decoder, token_ids, mask, **settings)
    for row, mine in enumerate(found):
        score = scorer(decoder, token_ids[row], mask[row])
        score = ruled(score, START, (END,), Generation(**settings))
        same(mine, beam_search(score, (END,), LENGTH, 3))


@pytest.mark.parametrize("rule", RULES)
def test_samples_keep_it(decoder, rule):
    """Every token drawn is one that the rules let come."""
    token_ids, mask = sources(15, V, seed=2)
    settings = Generation(
        sample=True, nbest=4, max_new_tokens=LENGTH, top_k=0, **RULES[rule]
    )
    found = generate(decoder, token_ids, mask, settings, START, END, 0)
    for row, texts in enumerate(found):
        score = scorer(decoder, token_ids[row], mask[row])
        score = ruled(score, START, (END,), settings)
        for one in texts:
            text = (*one.token_ids.tolist(), *([END] if one.finished else []))
            for place, token in enumerate(text):
                assert score(text[:place])[token] > -np.inf


@pytest.mark.parametrize(
    "settings, kind, candidates",
    [
        ({"beams": 2}, "log_probabilities", 4),
        ({"beams": 2, "min_new_tokens": 1}, "log_probabilities", 5),
        ({"beams": 2, "suppress": [3, 4]}, "log_probabilities", 6),
        ({"beams": 2, "repetition_penalty": 1.2}, "log_probabilities", 4 + 8),
        ({"beams": 2, "no_repeat_ngram": 3}, "log_probabilities", 4 + 8),
        ({"beams": 20}, "log_probabilities", V),
        ({"beams": 2, "repetition_penalty": 0.8}, "log_probabilities", None),
        ({"no_repeat_ngram": 3}, "log_probabilities", 1 + 8),
        ({"repetition_penalty": 1.2}, "logits", None),
        ({"sample": True, "top_k": 7}, "log_probabilities", 7),
        ({"sample": True, "top_k": 0}, "log_probabilities", None),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_asks_for_no_more_scores_than_it_needs(decoder, settings, kind, candidates):
    settings = Generation(max_new_tokens=8, **settings)
    generate(decoder, *sources(1, V), settings, START, END, 0)
    asked = decoder.asked[-1]
    assert (asked["kind"], asked["candidates"]) == (kind, candidates)


@pytest.mark.parametrize(
    "settings", [{}, {"beams": 3}, {"sample": True}], ids=["greedy", "beams", "samples"]
)
def test_a_text_that_may_not_go_on_is_cut(settings):
    """With four tokens, none twice and no end, a text has three beyond the start."""
    decoder = NumpyDecoder(4)
    settings = Generation(no_repeat_ngram=1, suppress=[END], **settings)
    found = generate(decoder, *sources(3, 4), settings, START, END, 0)
    for [one] in found:
        assert sorted(one.token_ids.tolist()) == [2, 3]
        assert not one.finished and np.isfinite(one.score)


def test_no_more_texts_than_there_are():
    """Two tokens, one of them the end, and two places: three texts."""
    decoder = NumpyDecoder(2, seed=3)
    settings = Generation(beams=4, nbest=4, max_new_tokens=2, early_stopping="never")
    [found] = generate(decoder, *sources(1, 2), settings, START, END, 0)
    assert {tuple(one.token_ids) for one in found} == {(), (0,), (0, 0)}
    assert [one.score for one in found] == sorted(one.score for one in found)[::-1]
