"""Beam search against enumeration of all texts and against a naive search."""

import numpy as np
import pytest
from helpers.decoders import NumpyDecoder, sources
from reference.naive_generation import beam_search, every_text

from kzoo.generation import Generation, generate

START, END = 0, 1


def searched(decoder, token_ids, mask, ends=(END,), **settings):
    """What `generate` answers, as lists of `(score, text with its end)`."""
    found = generate(
        decoder, token_ids, mask, Generation(**settings), START, ends, pad_id=0
    )
    return [[(one.score, tuple(one.token_ids)) for one in row] for row in found]


def scorer(decoder, token_ids, mask):
    """The naive searches' way to ask for scores of one source, by text."""
    state = decoder.read(token_ids[None], mask[None])
    known = {}

    def score(text):
        if text not in known:
            before = known[text[:-1]][0] if text else state
            last = text[-1] if text else START
            if text and text[:-1] not in known:
                score(text[:-1])
                before = known[text[:-1]][0]
            after, values = decoder.log_probabilities(before, np.array([last]))
            known[text] = after, values[0].astype("float64").tolist()
        return known[text][1]

    return score


def same(found, expected, ends=(END,)):
    """Whether texts and scores agree; the end stands in the naive texts only."""
    bare = [tuple(t for t in text if t not in ends) for _, text in expected]
    assert [text for _, text in found] == bare
    np.testing.assert_allclose(
        [score for score, _ in found], [score for score, _ in expected], rtol=1e-5
    )


@pytest.mark.parametrize("stopping", [False, "never"])
@pytest.mark.parametrize("penalty", [0.0, 1.0, 2.0, -0.5])
def test_as_many_beams_as_texts_find_the_best_of_all(penalty, stopping):
    vocabulary, length = 4, 3
    decoder = NumpyDecoder(vocabulary, seed=3)
    token_ids, mask = sources(5, vocabulary)
    found = searched(
        *(decoder, token_ids, mask),
        beams=vocabulary**length,
        nbest=vocabulary**length,
        max_new_tokens=length,
        length_penalty=penalty,
        early_stopping=stopping,
    )
    for row, mine in enumerate(found):
        score = scorer(decoder, token_ids[row], mask[row])
        same(mine, every_text(score, vocabulary, (END,), length, penalty))


@pytest.mark.parametrize("ends", [(END,), (END, 5)], ids=["one end", "two ends"])
@pytest.mark.parametrize("stopping", [True, False, "never"])
@pytest.mark.parametrize("penalty", [0.0, 1.0, 2.0, -1.0])
def test_finds_what_a_naive_search_finds(penalty, stopping, ends):
    decoder = NumpyDecoder(23, seed=1)
    token_ids, mask = sources(30, 23, seed=2)
    found = searched(
        *(decoder, token_ids, mask, ends),
        beams=4,
        nbest=4,
        max_new_tokens=9,
        length_penalty=penalty,
        early_stopping=stopping,
    )
    for row, mine in enumerate(found):
        score = scorer(decoder, token_ids[row], mask[row])
        expected = beam_search(score, ends, 9, 4, penalty, stopping)
        same(mine, expected, ends)
