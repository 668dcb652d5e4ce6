"""Chains of tags on the host, against the enumeration of all paths."""

import itertools

import numpy as np
import pytest
from helpers import chains as every

from kzoo.text import chains


def documents(lengths, classes, seed=0):
    rng = np.random.default_rng(seed)
    transitions = rng.normal(0, 1.5, (classes + 2, classes))
    return [rng.normal(0, 1.5, (n, classes)) for n in lengths], transitions


@pytest.mark.parametrize("lengths", [(3, 0, 6, 1, 6, 2), (4,), (0,), (0, 0), (1, 1)])
@pytest.mark.parametrize("classes", [2, 3])
def test_of_many_lengths_at_once(lengths, classes):
    emissions, transitions = documents(lengths, classes)
    labels = [rows.argmin(axis=1) for rows in emissions]
    found = zip(
        emissions,
        labels,
        chains.best_paths(emissions, transitions),
        chains.marginals(emissions, transitions),
        chains.log_likelihoods(emissions, labels, transitions),
        strict=True,
    )
    for rows, gold, best, shares, likelihood in found:
        paths, scores = every.every_path(rows, transitions)
        np.testing.assert_array_equal(best, paths[scores.argmax()])
        expected = every.shares(paths, scores, classes)
        np.testing.assert_allclose(shares, expected, rtol=1e-12, atol=1e-15)
        own = every.score(gold, rows, transitions) - every.log_sum(scores)
        assert likelihood == pytest.approx(own, rel=1e-12, abs=1e-12)


def test_no_documents():
    transitions = np.zeros((4, 2))
    assert chains.best_paths([], transitions) == []
    assert chains.marginals([], transitions) == []
    assert chains.log_likelihoods([], [], transitions).shape == (0,)


def test_a_closed_step_is_never_made_however_the_words_ask_for_it():
    """`I` after `O` is closed: the words say `O I I O`, far more than they say else."""
    transitions = np.zeros((5, 3))
    transitions[0, 2] = transitions[1, 2] = every.CLOSED
    emissions = np.zeros((4, 3))
    emissions[range(4), [0, 2, 2, 0]] = 500.0
    [best], [shares] = (
        function([emissions], transitions)
        for function in (chains.best_paths, chains.marginals)
    )
    steps = set(itertools.pairwise(best.tolist()))
    assert (0, 2) not in steps and best[0] != 2
    assert np.isfinite(shares).all() and shares[0, 2] == 0


def test_ties_go_to_the_first_class():
    [best] = chains.best_paths([np.zeros((5, 3))], np.zeros((5, 3)))
    assert best.tolist() == [0] * 5


def test_a_long_document_is_its_paths_step_by_step():
    """5,000 places against Viterbi written plainly, place by place."""
    [rows], transitions = documents((5000,), 5, seed=3)
    state, origins = transitions[0] + rows[0], []
    for row in rows[1:]:
        paths = state[:, None] + transitions[1:-1]
        origins.append(paths.argmax(axis=0))
        state = paths.max(axis=0) + row
    labels = [int(np.argmax(state + transitions[-1]))]
    for origin in reversed(origins):
        labels.append(int(origin[labels[-1]]))
    [best] = chains.best_paths([rows], transitions)
    np.testing.assert_array_equal(best, labels[::-1])
    [shares] = chains.marginals([rows], transitions)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-9)
