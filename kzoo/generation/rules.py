"""Rules that scores must keep: what may not repeat, may not come, must come.

All act on a step's candidates at once: B sources, K beams, C candidates each. They are
applied in transformers' order: repetition penalty, then bans, which commute; a forced
token replaces everything.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

NONE = -1  # Where fewer tokens are banned than the array has room for.


class Rules:
    """The rules that settings ask for.

    Args:
        settings: `Generation`.
        ends: int `(ends,)`. Ids of the tokens that end a text.
    """

    def __init__(self, settings, ends):
        self.penalty = settings.repetition_penalty
        self.ngram = settings.no_repeat_ngram
        self.length = settings.max_new_tokens
        self.least = settings.min_new_tokens
        self.first, self.last = settings.forced_first, settings.forced_last
        self.ends = ends
        words = dict.fromkeys(settings.bad_words)
        single = [word[0] for word in words if len(word) == 1]
        self.never = np.array([*settings.suppress, *single], "int32")
        self.words = _by_length([word for word in words if len(word) > 1])

    @property
    def idle(self):
        """Whether there is none but that a token is forced."""
        return not self.lower

    @property
    def lower(self):
        """How many tokens of a beam the rules lower at most, in one step."""
        count = len(self.never) + sum(len(last) for _, last in self.words)
        count += len(self.ends) if self.least else 0
        return count + (self.length if self.penalty != 1 or self.ngram else 0)

    @property
    def raise_some(self):
        """Whether a rule lifts tokens, which may then come from beyond any number."""
        return self.penalty < 1

    def forced(self, step):
        """The token that must come at `step`, counted from 0, or `None`."""
        if self.last is not None and step == self.length - 1:
            return self.last
        return self.first if step == 0 else None

    def apply(self, ids, scores, history):
        """Scores as the rules leave them, banned tokens at -inf.

        Args:
            ids: int `(B, K, C)`, or `None` where the candidates are all tokens, in
                order.
            scores: float32 `(B, K, C)`.
            history: int `(B, K, tokens)`. Each beam's tokens, the start first.
        """
        if self.penalty != 1:
            penalised = np.where(
                scores < 0, scores * self.penalty, scores / self.penalty
            )
            scores = np.where(among(ids, history, scores), penalised, scores)
        for banned in self._banned(history):
            scores = np.where(among(ids, banned, scores), -np.inf, scores)
        return scores.astype("float32", copy=False)

    def _banned(self, history):
        """Yield tokens that may not come: int, broadcastable to `(B, K, n)`."""
        written = history.shape[-1]  # The start counted.
        if self.ngram and written >= self.ngram:
            yield _completing(history, self.ngram)
        if len(self.never):
            yield self.never[None, None]
        if written - 1 < self.least:
            yield self.ends[None, None]
        for prefixes, last in self.words:  # (words, p), (words,)
            size = prefixes.shape[1]
            if size <= written:
                tail = history[:, :, None, -size:]  # (B, K, 1, p)
                yield np.where((tail == prefixes).all(axis=-1), last, NONE)


def among(ids, tokens, scores):
    """Which candidates are among a beam's tokens: bool, the shape of `scores`.

    Args:
        ids: int `(B, K, C)`, or `None` where the candidates are all tokens, in order.
        tokens: int, broadcastable to `(B, K, n)`; `NONE` is no token.
    """
    if ids is not None:
        return (ids[..., None] == tokens[:, :, None, :]).any(axis=-1)
    beams, size = scores.shape[:2], scores.shape[2]
    table = np.zeros((*beams, size + 1), bool)  # The last place is that of `NONE`.
    tokens = np.broadcast_to(tokens, (*beams, tokens.shape[-1]))
    np.put_along_axis(table, tokens, True, axis=-1)
    return table[..., :size]


def _completing(history, size):
    """Tokens that would make the last `size - 1` and themselves come again."""
    windows = sliding_window_view(history, size, axis=-1)  # (B, K, windows, size)
    prefix = history[:, :, None, history.shape[-1] - size + 1 :]
    same = (windows[..., :-1] == prefix).all(axis=-1)
    return np.where(same, windows[..., -1], NONE)


def _by_length(words):
    """Words of two tokens and more, as `(prefixes, last tokens)` for each length."""
    lengths = sorted({len(word) for word in words})
    groups = [[word for word in words if len(word) == length] for length in lengths]
    return [
        (np.array([word[:-1] for word in group]), np.array([w[-1] for w in group]))
        for group in groups
    ]
