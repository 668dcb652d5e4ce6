"""Token for token what transformers' `generate` gives, under every rule.

The scores come from the transformers model itself, so this is a test of what is done
with them and of nothing else.
"""

import numpy as np
import pytest
from helpers.decoders import sources
from helpers.hugging_face import (
    END,
    PAD,
    START,
    TorchDecoder,
    V,
    generated,
    tiny_bart,
    tiny_t5,
)

from kzoo.generation import Generation, generate

LENGTH = 14
RULES = {
    "plain": {},
    "least": {"min_new_tokens": 6},
    "exactly": {"min_new_tokens": LENGTH},
    "one token": {"max_new_tokens": 1},
    "no token twice": {"no_repeat_ngram": 1},
    "no two tokens twice": {"no_repeat_ngram": 2},
    "no three tokens twice": {"no_repeat_ngram": 3},
    "less repetition": {"repetition_penalty": 1.7},
    "more repetition": {"repetition_penalty": 0.8},
    "first": {"forced_first": 9},
    "last": {"forced_last": END},
    "first and last": {"forced_first": 7, "forced_last": 4},
    "suppressed": {"suppress": list(range(20, 40))},
    "bad words": {"bad_words": [[5], [6], [7, 8], [9, 10], [30, 31, 32], [12, 12]]},
    "all at once": {
        "min_new_tokens": 5,
        "no_repeat_ngram": 2,
        "repetition_penalty": 1.3,
        "forced_first": 9,
        "forced_last": END,
        "suppress": [20, 21, 22],
        "bad_words": [[5], [7, 8], [9, 9]],
    },
}
BEAMS = {
    "long": {"length_penalty": 2.0},
    "short": {"length_penalty": -1.0},
    "any length": {"length_penalty": 0.0},
    "early": {"early_stopping": True},
    "never early": {"early_stopping": "never"},
    "never early, long": {"early_stopping": "never", "length_penalty": 2.0},
    "never early, short": {"early_stopping": "never", "length_penalty": -1.0},
    "early and ruled": {
        "early_stopping": True,
        "length_penalty": 0.6,
        "min_new_tokens": 4,
        "no_repeat_ngram": 2,
        "repetition_penalty": 0.9,
    },
}


@pytest.fixture(scope="module", params=["t5", "bart"])
def model(request):
    return {"t5": tiny_t5, "bart": tiny_bart}[request.param]()


def compare(model, settings, ends=(END,)):
    settings = {"max_new_tokens": LENGTH, **settings}
    token_ids, mask = sources(50, V, seed=8, longest=9)
    expected = generated(model, token_ids, mask, settings, ends)
    found = generate(
        *(TorchDecoder(model), token_ids, mask),
        Generation(**settings),
        *(START, ends, PAD),
    )
    differ = [
        row
        for row, texts in enumerate(expected)
        if [one.token_ids.tolist() for one in found[row]] != [text for text, _ in texts]
    ]
    assert not differ
    for mine, theirs in zip(found, expected, strict=True):
        if settings.get("beams", 1) > 1:
            scores = [one.score for one in mine]
            np.testing.assert_allclose(scores, [s for _, s in theirs], rtol=1e-4)
    return found


@pytest.mark.parametrize("rule", RULES)
def test_greedy(model, rule):
    compare(model, RULES[rule])


@pytest.mark.parametrize("rule", RULES | BEAMS)
def test_beams(model, rule):
    compare(model, {"beams": 4, "nbest": 4} | (RULES | BEAMS)[rule])


@pytest.mark.parametrize("beams", [1, 3])
def test_several_ends(model, beams):
    compare(model, {"beams": beams, "nbest": beams}, ends=(END, 5, 17))


def test_some_texts_end_and_some_do_not(model):
    """Or the comparisons above would say little."""
    for beams in (1, 4):
        found = compare(model, {"beams": beams})
        ended = np.mean([one.finished for [one] in found])
        different = {tuple(one.token_ids) for [one] in found}
        assert 0.1 < ended < 0.95 and len(different) > 25
