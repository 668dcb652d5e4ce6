"""A chain of tags by enumeration: every path, its score, and what follows from both."""

import itertools

import numpy as np

CLOSED = -1e4


def every_path(emissions, transitions, mask=None):
    """All paths through the places that count, and their scores.

    Args:
        emissions: float `(T, C)`.
        transitions: float `(C + 2, C)`.
        mask: bool `(T,)`; `None` counts all.

    Returns:
        int `(paths, places that count)` and float64 `(paths,)`.
    """
    emissions = np.asarray(emissions, "float64")
    if mask is not None:
        emissions = emissions[np.asarray(mask)]
    length, classes = emissions.shape
    paths = np.array(list(itertools.product(range(classes), repeat=length)), "int64")
    paths = paths.reshape(classes**length, length)
    return paths, np.array([score(path, emissions, transitions) for path in paths])


def score(path, emissions, transitions):
    """The score of one path, a class for each row of `emissions`."""
    if not len(path):
        return 0.0
    transitions = np.asarray(transitions, "float64")
    total = transitions[0, path[0]] + transitions[-1, path[-1]]
    total += sum(emissions[place, label] for place, label in enumerate(path))
    return total + sum(transitions[1 + a, b] for a, b in itertools.pairwise(path))


def log_sum(scores):
    highest = scores.max()
    return highest + np.log(np.exp(scores - highest).sum())


def shares(paths, scores, classes):
    """The marginals `(places that count, C)`."""
    chances = np.exp(scores - log_sum(scores))
    return np.array(
        [[chances[column == c].sum() for c in range(classes)] for column in paths.T]
    ).reshape(paths.shape[1], classes)


def step_counts(paths, scores, classes):
    """How often each step is made in the mean, laid out as transitions are."""
    chances = np.exp(scores - log_sum(scores))
    counts = np.zeros((classes + 2, classes))
    for path, chance in zip(paths, chances, strict=True):
        if len(path):
            counts[0, path[0]] += chance
            counts[-1, path[-1]] += chance
        for a, b in itertools.pairwise(path):
            counts[1 + a, b] += chance
    return counts
