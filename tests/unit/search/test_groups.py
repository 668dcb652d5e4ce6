"""Groups of beams that differ: against a naive search, and what they are for."""

import numpy as np
import pytest
from helpers.decoders import NumpyDecoder, sources
from helpers.naive_scores import END, same, scorer, searched
from reference.naive_generation import beam_search, group_search

V = 23


@pytest.fixture(scope="module")
def decoder():
    return NumpyDecoder(V, seed=1)


@pytest.mark.parametrize("stopping", [True, False, "never"])
@pytest.mark.parametrize("beams, groups", [(4, 2), (6, 3), (4, 4)])
def test_finds_what_a_naive_search_finds(decoder, beams, groups, stopping):
    token_ids, mask = sources(20, V, seed=3)
    found = searched(
        *(decoder, token_ids, mask),
        beams=beams,
        nbest=beams,
        beam_groups=groups,
        diversity_penalty=0.8,
        early_stopping=stopping,
        max_new_tokens=7,
    )
    widths = [beams // groups] * groups
    for row, mine in enumerate(found):
        score = scorer(decoder, token_ids[row], mask[row])
        expected = group_search(score, (END,), 7, widths, 0.8, 1.0, stopping)
        same(mine, expected)


def test_a_penalty_of_almost_nothing_makes_every_group_the_first(decoder):
    token_ids, mask = sources(10, V, seed=4)
    found = searched(
        *(decoder, token_ids, mask),
        beams=4,
        nbest=4,
        beam_groups=2,
        diversity_penalty=1e-9,
        max_new_tokens=7,
    )
    for row, mine in enumerate(found):
        score = scorer(decoder, token_ids[row], mask[row])
        alone = beam_search(score, (END,), 7, 2)
        same(mine, [one for one in alone for _ in range(2)])


def test_groups_say_more_different_things_than_beams(decoder):
    token_ids, mask = sources(30, V, seed=5)
    plain = {"beams": 4, "nbest": 4, "max_new_tokens": 7}
    spread = {**plain, "beam_groups": 4, "diversity_penalty": 2.0}
    first = [
        np.mean([len({text[:1] for _, text in row}) for row in found])
        for found in (
            searched(decoder, token_ids, mask, **plain),
            searched(decoder, token_ids, mask, **spread),
        )
    ]
    assert first[1] > first[0] + 0.5


def test_scores_of_all_tokens_give_what_the_best_give(decoder):
    token_ids, mask = sources(10, V, seed=6)
    settings = {
        "beams": 6,
        "nbest": 6,
        "beam_groups": 3,
        "diversity_penalty": 0.8,
        "max_new_tokens": 7,
    }
    few = searched(decoder, token_ids, mask, **settings)
    assert decoder.asked[-1]["candidates"] == 2 * 2 + 4
    # A penalty so near 1 that it changes nothing, but which might lift tokens.
    every = searched(decoder, token_ids, mask, **settings, repetition_penalty=1 - 1e-12)
    assert decoder.asked[-1]["candidates"] is None
    assert [[text for _, text in row] for row in few] == [
        [text for _, text in row] for row in every
    ]
