"""Hiding tokens of a text for a model to find, the same ones on every machine.

Which are hidden follows from the seed, the epoch and the row, and from nothing that ran
before: a resumed run, or another backend, asks the same questions.
"""

import dataclasses

import numpy as np

from kzoo.text.settings import settings_from

FIXED = 2**32 - 2  # the epoch of masks that never change
WHOLE = 2**64  # the random numbers there are


@dataclasses.dataclass(frozen=True)
class Masking:
    """How many tokens are hidden, and behind what.

    Args:
        share: float in (0, 1]. Share of a window's tokens that are asked for; at least
            one is, special and unknown ones never.
        mask_share: float. Share of these in whose place the mask token stands.
        random_share: float. Share of these in whose place another token stands, any of
            the vocabulary. The rest is left as it was, and asked for all the same.
        whole_words: bool. Whether all tokens of a word are asked for together.

    Raises:
        ValueError: if an argument is out of range.

    Reference:
        - [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), section 3.1
        - [Liu et al., 2019](https://arxiv.org/abs/1907.11692), new masks every epoch
    """

    share: float = 0.15
    mask_share: float = 0.8
    random_share: float = 0.1
    whole_words: bool = False

    def __post_init__(self):
        for name in ("share", "mask_share", "random_share"):
            value = getattr(self, name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 0 <= value <= 1 or (name == "share" and not value):
                low = "above 0 and at most 1" if name == "share" else "from 0 to 1"
                raise ValueError(
                    f"`{name}` must be a number {low}. Received: {name}={value!r}"
                )
        if self.mask_share + self.random_share > 1:
            raise ValueError(
                "`mask_share` and `random_share` must not exceed 1 together. Received: "
                f"mask_share={self.mask_share}, random_share={self.random_share}"
            )
        if not isinstance(self.whole_words, bool):
            raise ValueError(
                "`whole_words` must be True or False. "
                f"Received: whole_words={self.whole_words!r}"
            )

    @classmethod
    def of(cls, arguments):
        """From a dict of arguments, or from `None`.

        Raises:
            ValueError: if there is no such argument, or one is out of range.
        """
        return settings_from(cls, "masking", arguments)

    def most(self, tokens):
        """How many of so many tokens are asked for, at the most."""
        return max(1, int(tokens * self.share + 0.5))


class Masker:
    """Hides tokens of windows.

    Args:
        masking: `Masking`.
        tokenizer: `kzoo.text.Tokenizer`, with a token that hides others.
    """

    def __init__(self, masking, tokenizer):
        self.masking = masking
        self._mask_id = tokenizer.mask_id
        self._around = tokenizer.num_special
        special = tokenizer.special_tokens
        ids = np.arange(tokenizer.vocabulary_size, dtype="int32")
        self._ordinary = np.setdiff1d(ids, special)
        self._askable = np.ones(len(ids), bool)
        self._askable[special] = False

    def askable(self, token_ids):
        """The places of the tokens that may be asked for, int64, ascending."""
        return np.flatnonzero(self._askable[token_ids])

    def most(self, length):
        """How many places of a window of so many tokens may be asked for, int."""
        return self.masking.most(length - self._around)

    def hide(self, token_ids, word_of, seed, epoch, row):
        """Hide some tokens of a window.

        Args:
            token_ids: int32 `(T,)`.
            word_of: int `(T,)`. Neighbours of one number are a word; those of -1 are
                each for itself. Only looked at for whole words.
            seed: int, 0 ≤ seed < 2 ** 63.
            epoch: int; `FIXED` where they are to be the same always.
            row: int, below 2 ** 32. Which window this is.

        Returns:
            int32 `(T,)`, what the model reads; and int32 `(P,)`, ascending, the places
            that it is asked for, at least one unless there is none to ask for.
        """
        free = self.askable(token_ids)
        key = np.array([seed, (epoch + 1) << 32 | row], "uint64")
        drawn = np.random.Philox(key=key)
        places = self._drawn_places(free, word_of, drawn)
        hidden = np.array(token_ids, "int32")
        lots = drawn.random_raw(2 * len(places)).reshape(-1, 2)  # what, and which
        behind = lots[:, 0] / WHOLE
        masked = behind < self.masking.mask_share
        other = ~masked & (behind < self.masking.mask_share + self.masking.random_share)
        hidden[places[masked]] = self._mask_id
        if len(self._ordinary):
            which = lots[other, 1] % np.uint64(len(self._ordinary))
            hidden[places[other]] = self._ordinary[which.astype("int64")]
        return hidden, places.astype("int32")

    def _drawn_places(self, free, word_of, drawn):
        if not len(free):
            return free
        most = self.masking.most(len(free))
        if not self.masking.whole_words:
            order = np.argsort(drawn.random_raw(len(free)), kind="stable")
            return np.sort(free[order[:most]])
        words = _words(free, np.asarray(word_of)[free])
        order = np.argsort(drawn.random_raw(len(words)), kind="stable")
        chosen, room = [], most
        for number in order:
            if len(words[number]) <= room:
                chosen.append(words[number])
                room -= len(words[number])
                if not room:
                    break
        if not chosen:  # Each word is more than may be asked for: a part of one is.
            chosen = [words[order[0]][:most]]
        return np.sort(np.concatenate(chosen))


def _words(free, numbers):
    """Places as a list of arrays, one for each word."""
    starts = (np.diff(numbers, prepend=-2) != 0) | (numbers < 0)
    return np.split(free, np.flatnonzero(starts)[1:])
