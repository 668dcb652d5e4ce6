"""Beam search against enumeration of all texts and against a naive search."""

import pytest
from helpers.decoders import NumpyDecoder, sources
from helpers.naive_scores import END, same, scorer, searched
from reference.naive_generation import beam_search, every_text


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
    token_ids, mask = sources(15, 23, seed=2)
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
