"""Chains of tags on the host: Viterbi and marginals over whole documents, in float64.

What a model says of the pieces of a document comes from its windows; the chain of tags
runs through all of them. It runs here, in NumPy, so that tags are the same on every
backend and a document may be of any length. `kzoo.layers.paths` has the same sums for
training.

Everywhere, `emissions` are a list of float `(L, C)`, what each document says for each
class at its L places, L from 0; `transitions` are float `(C + 2, C)`: in row 0 the
score of beginning with each class, in row 1 + i that of each class after class i, in
row C + 1 that of ending with each. A document without places has one path, of score 0.
"""

import itertools

import numpy as np


def best_paths(emissions, transitions):
    """The most likely classes of each document, by Viterbi's algorithm.

    Returns:
        list of int64 `(L,)`. Of equally good classes, the first.

    Reference:
        - [Viterbi, 1967](https://doi.org/10.1109/TIT.1967.1054010)
    """
    if not emissions:
        return []
    packed = _Packed(emissions)
    start, follow, end = _parts(transitions)
    states = packed.pack(emissions)
    states[packed.first] += start
    for rows, before in packed.steps:
        paths = states[before][:, :, None] + follow  # (documents, from, to)
        states[rows] += paths.max(axis=1)
    labels = np.argmax(states + end, axis=1)  # right where a document ends
    for rows, before in reversed(packed.steps):
        paths = states[before] + follow[:, labels[rows]].T
        labels[before] = paths.argmax(axis=1)
    return packed.unpack(labels)


def marginals(emissions, transitions):
    """How likely each class is at each place, over all paths.

    Returns:
        list of float64 `(L, C)`, adding up to 1 over C.
    """
    if not emissions:
        return []
    packed = _Packed(emissions)
    before, after = _sums(packed, emissions, transitions)
    logits = before + after - packed.pack(emissions)
    return packed.unpack(np.exp(_log_softmax(logits)))


def log_likelihoods(emissions, labels, transitions):
    """The logarithm of the probability of one path through each document.

    Args:
        labels: list of int `(L,)`, the class at each place.

    Returns:
        float64 `(documents,)`, at most 0.
    """
    if not emissions:
        return np.zeros(0)
    packed = _Packed(emissions)
    _, after = _sums(packed, emissions, transitions)
    given = packed.pack(labels, "int64")
    row = np.zeros_like(given)  # of the transitions: what the class before leaves open
    for rows, before in packed.steps:
        row[rows] = 1 + given[before]
    chances = _log_softmax(np.asarray(transitions, "float64")[row] + after)
    chances = chances[np.arange(len(given)), given]
    return np.array([part.sum() for part in packed.unpack(chances)])


class _Packed:
    """Documents of many lengths in one array, place by place, the longest first.

    Attributes:
        first: slice, the rows of the first places.
        steps: list of pairs of slices, for each further place: its rows, and those of
            the place before in the same documents.
    """

    def __init__(self, documents):
        lengths = np.array([len(document) for document in documents], "int64")
        self._order = np.argsort(-lengths, kind="stable")
        self._lengths = lengths[self._order]
        places = np.arange(lengths.max(initial=0))
        holding = np.searchsorted(-self._lengths, -places)  # documents, by place
        self._starts = np.cumsum(holding) - holding
        bounds = list(zip(self._starts.tolist(), holding.tolist(), strict=True))
        self.first = slice(0, bounds[0][1] if bounds else 0)
        self.steps = [
            (slice(start, start + count), slice(before, before + count))
            for (before, _), (start, count) in itertools.pairwise(bounds)
        ]

    def pack(self, documents, dtype="float64"):
        """`(rows, …)` of a list of `(L, …)`, one for each document."""
        documents = [np.asarray(document) for document in documents]
        inner = documents[0].shape[1:]
        packed = np.empty((int(self._lengths.sum()), *inner), dtype)
        for rank, document in enumerate(self._order):
            packed[self._rows(rank)] = documents[document]
        return packed

    def unpack(self, packed):
        """The inverse of `pack`."""
        documents = [None] * len(self._order)
        for rank, document in enumerate(self._order):
            documents[document] = packed[self._rows(rank)]
        return documents

    def _rows(self, rank):
        return self._starts[: self._lengths[rank]] + rank


def _sums(packed, emissions, transitions):
    """Logarithms of the sums over all paths up to each place, and from each on.

    Both count the emission of the place. They run as one: what comes after is what
    comes before in the document reversed.

    Returns:
        Pair of float64 `(rows, C)`, packed.
    """
    start, follow, end = _parts(transitions)
    backwards = [document[::-1] for document in emissions]
    states = np.stack([packed.pack(emissions), packed.pack(backwards)])  # (2, rows, C)
    states[:, packed.first] += np.stack([start, end])[:, None]
    both = np.stack([follow, follow.T])[:, None]  # (2, 1, from, to)
    for rows, before in packed.steps:
        paths = states[:, before, :, None] + both  # (2, documents, from, to)
        highest = paths.max(axis=2)
        sums = np.exp(paths - highest[:, :, None]).sum(axis=2)
        states[:, rows] += highest + np.log(sums)
    after = [document[::-1] for document in packed.unpack(states[1])]
    return states[0], packed.pack(after)


def _parts(transitions):
    transitions = np.asarray(transitions, "float64")
    return transitions[0], transitions[1:-1], transitions[-1]


def _log_softmax(logits):
    logits = logits - logits.max(axis=1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
