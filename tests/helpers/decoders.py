"""A small recurrent decoder in NumPy, for tests of what is done with scores."""

from types import SimpleNamespace

import numpy as np


class NumpyDecoder:
    """Scores that follow from a source and from all tokens written so far.

    Args:
        vocabulary_size: int.
        seed: int. Of the weights.
        sharpness: float. Scale of the logits.
    """

    def __init__(self, vocabulary_size, seed=0, sharpness=3.0):
        rng = np.random.default_rng(seed)
        size = 12
        self.vocabulary_size = vocabulary_size
        self.sharpness = sharpness
        self.source = rng.normal(size=(vocabulary_size, size))
        self.token = rng.normal(size=(vocabulary_size, size))
        self.turn = rng.normal(size=(size, size)) / np.sqrt(size)
        self.out = rng.normal(size=(size, vocabulary_size)) / np.sqrt(size)
        self.asked = []

    def read(self, token_ids, padding_mask):
        vectors = self.source[np.asarray(token_ids)]  # (B, S, size)
        return np.tanh((vectors * np.asarray(padding_mask)[..., None]).sum(axis=1))

    def write(self, state, tokens):
        """The states after one more token, and the logits that follow."""
        state = np.tanh(state @ self.turn + self.token[tokens])
        return state, (self.sharpness * (state @ self.out)).astype("float32")

    def log_probabilities(self, state, tokens):
        state, logits = self.write(state, tokens)
        return state, log_softmax(logits)

    def begin(self, token_ids, padding_mask, *, beams, length, candidates, kind):
        self.asked.append({"beams": beams, "candidates": candidates, "kind": kind})
        states = self.read(token_ids, padding_mask)
        states = np.repeat(states[:, None], beams, axis=1)  # (B, K, size)
        return _Run(self, states, length, candidates, kind)


class _Run:
    def __init__(self, decoder, states, length, candidates, kind):
        self.decoder, self.states, self.left = decoder, states, length
        self.candidates, self.kind = candidates, kind

    def step(self, tokens, parents):
        assert self.left > 0, "asked for more steps than it was told"
        assert tokens.shape == parents.shape == self.states.shape[:2]
        self.left -= 1
        states = np.take_along_axis(self.states, parents[:, :, None], axis=1)
        self.states, scores = self.decoder.write(states, tokens)
        if self.kind == "log_probabilities":
            scores = log_softmax(scores)
        if self.candidates is None:
            return SimpleNamespace(all=scores)
        return top(scores, self.candidates)


def top(scores, count):
    """The best scores as a decoder gives them: best first, ties by id."""
    ids = np.argsort(-scores, axis=-1, kind="stable")[..., :count]
    values = np.take_along_axis(scores, ids, axis=-1)
    return SimpleNamespace(ids=ids.astype("int32"), values=values)


def log_softmax(logits):
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def sources(count, vocabulary_size, seed=0, longest=7):
    """Random sources of different lengths: token ids, padding mask."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, count)
    token_ids = rng.integers(0, vocabulary_size, (count, longest), dtype="int32")
    mask = np.arange(longest) < lengths[:, None]
    return np.where(mask, token_ids, 0), mask
