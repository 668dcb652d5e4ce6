"""The texts that ended: the best of each source, as many as it has beams."""

import numpy as np


class Pool:
    """The best hypotheses so far, best first.

    Args:
        sources: int, B.
        room: int, W. How many each source keeps.
        length: int. The most tokens of a text.
    """

    def __init__(self, sources, room, length):
        self.rows = np.arange(sources)[:, None]
        self.scores = np.full((sources, room), -np.inf, "float32")
        self.filled = np.zeros((sources, room), bool)
        self.lengths = np.zeros((sources, room), int)
        self.texts = np.zeros((sources, room, length + 1), "int32")

    @property
    def worst(self):
        """float32 `(B,)`: the worst score of each source, -inf while there is room."""
        return self.scores[:, -1]

    def add(self, texts, scores, new, length):
        """Offer texts of one length, start not counted; `new` `(B, n)` says which."""
        scores = np.where(new, scores, -np.inf)
        merged = np.concatenate([self.scores, scores], axis=1)
        room = self.scores.shape[1]
        order = np.argsort(-merged, axis=1, kind="stable")[:, :room]
        self.scores = merged[self.rows, order]
        self.filled = np.concatenate([self.filled, new], axis=1)[self.rows, order]
        lengths = np.concatenate([self.lengths, np.full(new.shape, length)], axis=1)
        self.lengths = lengths[self.rows, order]
        self.texts = np.concatenate([self.texts, texts], axis=1)[self.rows, order]

    def of(self, source):
        """Yield the tokens after the start, and the score, of a source's hypotheses."""
        for place in np.flatnonzero(self.filled[source]):
            length = self.lengths[source, place]
            yield self.texts[source, place, 1 : length + 1], self.scores[source, place]
