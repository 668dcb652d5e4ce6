"""Greedy search: the best token each time, sources for themselves, nothing after."""

import numpy as np
import pytest
from helpers.decoders import NumpyDecoder, sources

from kzoo.generation import Generation, generate

START, END, PAD = 0, 1, 2
V = 19


def greedy(decoder, token_ids, mask, on_token=None, **settings):
    found = generate(
        decoder, token_ids, mask, Generation(**settings), START, END, PAD, on_token
    )
    return [one for [one] in found]


def by_hand(decoder, token_ids, mask, length):
    """One source, token by token: the tokens, and their summed log-probability."""
    state, tokens, total = decoder.read(token_ids[None], mask[None]), [START], 0.0
    while len(tokens) <= length and (len(tokens) == 1 or tokens[-1] != END):
        state, scores = decoder.log_probabilities(state, np.array([tokens[-1]]))
        tokens.append(int(scores[0].argmax()))
        total += float(scores[0].max())
    return tokens[1:], total


@pytest.fixture(scope="module")
def decoder():
    return NumpyDecoder(V, seed=4)


def test_takes_the_best_token_until_the_end(decoder):
    token_ids, mask = sources(40, V, seed=5)
    found = greedy(decoder, token_ids, mask, max_new_tokens=12)
    for row, one in enumerate(found):
        tokens, total = by_hand(decoder, token_ids[row], mask[row], 12)
        assert one.finished == (tokens[-1] == END)
        assert one.token_ids.tolist() == tokens[: len(tokens) - one.finished]
        assert one.score == pytest.approx(total / len(tokens), rel=1e-5)
        assert one.token_ids.dtype == "int32"
    assert {one.finished for one in found} == {True, False}
    assert decoder.asked[-1] == {
        "beams": 1,
        "candidates": 1,
        "kind": "log_probabilities",
    }


@pytest.mark.parametrize("beams", [1, 4])
def test_a_source_gets_what_it_gets_alone(decoder, beams):
    token_ids, mask = sources(20, V, seed=6)
    settings = Generation(beams=beams, nbest=beams, max_new_tokens=12)
    together = generate(decoder, token_ids, mask, settings, START, END, PAD)
    for row, found in enumerate(together):
        length = mask[row].sum()
        only = token_ids[row : row + 1, :length], mask[row : row + 1, :length]
        [alone] = generate(decoder, *only, settings, START, END, PAD)
        assert [one.token_ids.tolist() for one in alone] == [
            one.token_ids.tolist() for one in found
        ]


def test_tokens_are_told_as_they_come(decoder):
    token_ids, mask = sources(10, V, seed=7)
    told = {row: [] for row in range(10)}
    found = greedy(
        *(decoder, token_ids, mask),
        on_token=lambda row, token: told[row].append(token),
        max_new_tokens=12,
    )
    assert told == {row: one.token_ids.tolist() for row, one in enumerate(found)}


def test_beams_cannot_be_told_as_they_come(decoder):
    with pytest.raises(ValueError, match=r"without beams.*Received: beams=2, nbest=1"):
        greedy(decoder, *sources(1, V), on_token=print, beams=2)


def test_no_source_gives_no_answer(decoder):
    assert greedy(decoder, *sources(0, V)) == []


@pytest.mark.parametrize("beams", [1, 3])
def test_scores_must_be_numbers(decoder, beams):
    decoder = NumpyDecoder(V)
    decoder.source[3] = np.nan
    token_ids = np.array([[4, 4], [4, 3]])
    with pytest.raises(ValueError, match=r"scores are not numbers. Received: row=1"):
        greedy(decoder, token_ids, token_ids > 0, beams=beams)
