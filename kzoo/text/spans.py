"""Spans of a text taken out for a model to write, the same ones on every machine.

Which are taken follows from the seed, the epoch and the row, as for masks. How many are
follows from the length of the text alone, so that few shapes are enough for all.
"""

import dataclasses
import math

import numpy as np

from kzoo.text.settings import settings_from

SENTINELS = 100  # of a tokenizer that is trained, as T5 has them


@dataclasses.dataclass(frozen=True)
class Corruption:
    """How much of a text is taken out, and in how long spans.

    Args:
        share: float in (0, 1). Share of a window's tokens that is taken out; at least
            one token is, and one stays.
        span_length: float, at least 1. Mean length of a span in tokens.

    Raises:
        ValueError: if an argument is out of range.

    Reference:
        - [Raffel et al., 2020](https://arxiv.org/abs/1910.10683), section 3.1.4
    """

    share: float = 0.15
    span_length: float = 3.0

    def __post_init__(self):
        for name, least, low in (("share", 0, "above 0"), ("span_length", 1, "1 on")):
            value = getattr(self, name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not least <= value < math.inf or not value:
                raise ValueError(
                    f"`{name}` must be a number from {low}. Received: {name}={value!r}"
                )
        if self.share >= 1:
            raise ValueError(f"`share` must be below 1. Received: share={self.share!r}")

    @classmethod
    def of(cls, arguments):
        """From a dict of arguments, or from `None`.

        Raises:
            ValueError: if there is no such argument, or one is out of range.
        """
        return settings_from(cls, "corruption", arguments)

    def counts(self, tokens):
        """How many of so many tokens are taken out, and in how many spans.

        Args:
            tokens: int, at least 2.
        """
        taken = min(max(round(tokens * self.share), 1), tokens - 1)
        spans = max(round(taken / self.span_length), 1)
        return taken, min(spans, tokens - taken)


class Corrupter:
    """Takes spans out of windows.

    Args:
        corruption: `Corruption`.
        tokenizer: `kzoo.text.Tokenizer`, with sentinels.
        end_id: int. What ends a target.
    """

    def __init__(self, corruption, tokenizer, end_id):
        self.corruption = corruption
        self._sentinels = tokenizer.sentinels
        self._before, self._after = tokenizer.num_before, tokenizer.num_after
        self._end = np.array([end_id], "int32")

    def lengths(self, tokens):
        """The lengths of what is read and of what is written, of a window's length.

        Args:
            tokens: int. Special ones around the window counted, as in what is read.
        """
        own = tokens - self._before - self._after
        taken, spans = self.corruption.counts(max(own, 2))
        return tokens - taken + spans, taken + spans + 2  # the last sentinel, the end

    def corrupt(self, token_ids, seed, epoch, row):
        """Take spans out of a window.

        All places for so many spans, with something between any two, are as likely.
        T5's own code ends every window with a span, unless it rolls them at random;
        in a short window most of what is asked for would then be its end.

        Args:
            token_ids: int32 `(T,)`, at least two of them between special tokens.
            seed: int, 0 ≤ seed < 2 ** 63.
            epoch: int; `kzoo.text.masking.FIXED` where they are to be the same always.
            row: int, below 2 ** 32. Which window this is.

        Returns:
            int32 `(S,)`, what the model reads, a sentinel in place of each span; and
            int32 `(T,)`, what it is to write: each sentinel and its span, a last
            sentinel, and the end.
        """
        last = len(token_ids) - self._after
        own = token_ids[self._before : last]
        taken, spans = self.corruption.counts(len(own))
        key = np.array([seed, (epoch + 1) << 32 | row], "uint64")
        drawn = np.random.Philox(key=key)
        out = divided(taken, spans, drawn)
        kept = divided(len(own) - taken + 2, spans + 1, drawn)
        kept[[0, -1]] -= 1  # Nothing need stand before the first and after the last.
        ends = np.stack([kept[:-1], out], axis=1).ravel().cumsum()  # (2 * spans,)
        *stretches, rest = np.split(own, ends)
        *marks, last_mark = self._sentinels[: spans + 1, None]
        read, written = [token_ids[: self._before]], []
        for mark, stays, goes in zip(
            marks, stretches[::2], stretches[1::2], strict=True
        ):
            read += [stays, mark]
            written += [mark, goes]
        read += [rest, token_ids[last:]]
        written += [last_mark, self._end]
        return np.concatenate(read), np.concatenate(written)


def divided(items, parts, drawn):
    """The sizes of `parts` parts, none empty; all ways to divide are as likely.

    Args:
        items: int. What they sum to, at least `parts`.
        parts: int.
        drawn: `np.random.Philox`.
    """
    order = np.argsort(drawn.random_raw(items - 1), kind="stable")
    cuts = np.sort(order[: parts - 1]) + 1
    return np.diff(cuts, prepend=0, append=items)
