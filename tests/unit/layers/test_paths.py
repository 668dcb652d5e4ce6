"""Sums and maxima over paths, against the enumeration of all of them."""

import functools

import keras
import numpy as np
import pytest
from helpers import chains
from helpers.layers import array
from keras import ops

from kzoo.data.schemes import allowed, label_names
from kzoo.layers import paths
from kzoo.text import chains as host

ROWS, PLACES, CLASSES = 6, 5, 3


def problem(seed=0, scale=2.0, places=PLACES):
    """Rows with every kind of mask: all, none, one place, gaps."""
    rng = np.random.default_rng(seed)
    mask = rng.random((ROWS, places)) < 0.6
    mask[0], mask[1], mask[2] = True, False, np.arange(places) == places - 1
    emissions = rng.normal(0, scale, (ROWS, places, CLASSES)).astype("float32")
    transitions = rng.normal(0, 1, (CLASSES + 2, CLASSES)).astype("float32")
    labels = rng.integers(0, CLASSES, (ROWS, places)).astype("int32")
    return emissions, transitions, labels, mask


def closed(transitions):
    """Transitions of O, B, I with those that BIO closes `CLOSED`."""
    start, follow, end = allowed(label_names("a", "iob2"), "iob2")
    steps = np.concatenate([start[None], follow, end[None]])
    return np.where(steps, transitions, paths.CLOSED).astype("float32")


def answers(emissions, transitions, labels, mask):
    """All that `paths` says of a batch, and the gradients of its two sums."""
    wide = np.broadcast_to(transitions, (ROWS, *transitions.shape)).copy()
    found = _program()(emissions, wide, labels, mask)
    return {name: array(value) for name, value in found.items()}


@functools.cache
def _program():
    """One program for all tests, compiled once for each shape."""
    backend = keras.backend.backend()

    def surprise(emissions, transitions, labels, mask):
        return paths.negative_log_likelihood(emissions, transitions, labels, mask)

    def partition(emissions, transitions, labels, mask):
        return paths.log_partition(emissions, transitions, mask)

    def other(emissions, transitions, labels, mask):
        best, scores = paths.best_paths(emissions, transitions, mask)
        shares = paths.marginals(emissions, transitions, mask)
        return {"best": best, "scores": scores, "shares": shares}

    if backend == "torch":
        import torch

        def differentiated(function, *given):
            floats = [torch.tensor(x, requires_grad=True) for x in given[:2]]
            values = function(*floats, *map(torch.as_tensor, given[2:]))
            values.sum().backward()
            return values.detach(), *(x.grad for x in floats)

    elif backend == "tensorflow":
        import tensorflow as tf

        def differentiated(function, *given):
            with tf.GradientTape() as tape:
                tape.watch(given[:2])
                values = function(*given)
            return values, *tape.gradient(values, given[:2])

    else:
        import jax

        def differentiated(function, *given):
            values, pull = jax.vjp(lambda e, t: function(e, t, *given[2:]), *given[:2])
            return values, *pull(ops.ones_like(values))

    def program(*given):
        found = other(*map(ops.convert_to_tensor, given))
        for function in (surprise, partition):
            name = function.__name__
            found[name], *gradients = differentiated(function, *given)
            found[f"{name} by emission"], found[f"{name} by step"] = gradients
        return found

    if backend == "torch":
        return program
    if backend == "tensorflow":
        compiled = tf.function(program, jit_compile=True)
        return lambda *given: compiled(*map(tf.convert_to_tensor, given))
    return jax.jit(program)


@pytest.mark.parametrize("scheme", [None, "iob2"])
def test_sums_and_maxima_are_those_of_all_paths(scheme):
    emissions, transitions, labels, mask = problem()
    if scheme == "iob2":
        transitions = closed(transitions)
    found = answers(emissions, transitions, labels, mask)
    for row, counts in enumerate(mask):
        every, scores = chains.every_path(emissions[row], transitions, counts)
        if scheme:  # Closed paths are not merely rare: they are not there.
            every, scores = (x[scores > paths.CLOSED / 2] for x in (every, scores))
        total = chains.log_sum(scores)
        assert found["partition"][row] == pytest.approx(total, abs=1e-5)
        expected = chains.shares(every, scores, CLASSES)
        shares, best = found["shares"][row], found["best"][row]
        np.testing.assert_allclose(shares[counts], expected, atol=1e-6)
        assert (shares[counts][expected == 0] == 0).all()
        assert not shares[~counts].any() and not best[~counts].any()
        np.testing.assert_array_equal(best[counts], every[scores.argmax()])
        assert found["scores"][row] == pytest.approx(scores.max(), abs=1e-5)
        # The derivative of the partition is how often each step is made.
        by_emission = found["partition by emission"][row]
        np.testing.assert_allclose(by_emission[counts], expected, atol=1e-5)
        assert not by_emission[~counts].any()
        steps = chains.step_counts(every, scores, CLASSES)
        np.testing.assert_allclose(found["partition by step"][row], steps, atol=1e-5)


def test_a_path_is_as_surprising_as_among_all_paths():
    """Its gradients are marginals less labels, for emissions and for transitions."""
    emissions, transitions, labels, mask = problem(seed=1)
    found = answers(emissions, transitions, labels, mask)
    for row, counts in enumerate(mask):
        every, scores = chains.every_path(emissions[row], transitions, counts)
        path = labels[row, counts]
        own = chains.score(path, emissions[row, counts], transitions)
        expected = chains.log_sum(scores) - own
        assert found["surprise"][row] == pytest.approx(expected, abs=1e-5)
        less = chains.shares(every, scores, CLASSES) - np.eye(CLASSES)[path]
        by_emission = found["surprise by emission"][row]
        np.testing.assert_allclose(by_emission[counts], less, atol=1e-5)
        assert not by_emission[~counts].any()
        steps = chains.step_counts(every, scores, CLASSES)
        steps -= chains.step_counts(path[None], np.zeros(1), CLASSES)
        np.testing.assert_allclose(found["surprise by step"][row], steps, atol=1e-5)


def test_a_window_that_begins_or_ends_inside_an_entity_is_not_held_to_its_ends():
    """Classes are O, B, I; here a text cannot begin with `I` nor end with `B`."""
    emissions, transitions, labels, mask = problem()
    transitions = closed(np.zeros_like(transitions))
    transitions[-1, 1] = paths.CLOSED
    labels[:4] = [[2, 2, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 1, 2, 2], [0, 2, 0, 0, 0]]
    found = answers(emissions, transitions, labels, np.ones_like(mask))["surprise"]
    for row, opened in ((0, [(0, 2)]), (1, [(-1, 1)]), (2, [])):
        own = transitions.copy()
        for at in opened:
            own[at] = 0.0
        _, scores = chains.every_path(emissions[row], own)
        expected = chains.log_sum(scores)
        expected -= chains.score(labels[row], emissions[row], own)
        assert found[row] == pytest.approx(expected, abs=1e-5)
    assert 9e3 < found[3] < 1.1e4  # `I` after `O` is closed wherever it stands.


@pytest.mark.parametrize("scale", [300.0, 1e6])
def test_nothing_overflows(scale):
    emissions, transitions, labels, mask = problem(scale=scale)
    found = answers(emissions, closed(transitions), labels, mask)
    for name, values in found.items():
        assert np.isfinite(values).all(), name


def test_one_place_is_a_softmax():
    emissions, _, labels, mask = problem(places=1)
    found = answers(emissions, np.zeros((5, 3), "float32"), labels, mask)
    expected = np.exp(emissions[:, 0]) / np.exp(emissions[:, 0]).sum(1, keepdims=True)
    chances = np.where(mask, expected, 0.0)
    np.testing.assert_allclose(found["shares"][:, 0], chances, atol=1e-6)
    surprise = np.where(mask[:, 0], -np.log(expected[range(ROWS), labels[:, 0]]), 0.0)
    np.testing.assert_allclose(found["surprise"], surprise, atol=1e-6)


def test_the_host_computes_the_same_of_whole_documents():
    """Float64 NumPy over lists against the layers' float32 over a padded batch."""
    emissions, transitions, labels, mask = problem(seed=2, places=40)
    found = answers(emissions, transitions, labels, mask)
    documents = [rows[counts] for rows, counts in zip(emissions, mask, strict=True)]
    gold = [row[counts] for row, counts in zip(labels, mask, strict=True)]
    shares = host.marginals(documents, transitions)
    best = host.best_paths(documents, transitions)
    for row, counts in enumerate(mask):
        np.testing.assert_allclose(shares[row], found["shares"][row, counts], atol=2e-6)
        np.testing.assert_array_equal(best[row], found["best"][row, counts])
    surprise = -host.log_likelihoods(documents, gold, transitions)
    np.testing.assert_allclose(surprise, found["surprise"], rtol=1e-5, atol=1e-5)
