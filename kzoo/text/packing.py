"""Texts as windows that share no token: packed one after the other, or each alone.

Nothing is lost: a text that is longer than a window goes on in the next one. Windows
end between words, but within a word that is longer than a window.
"""

from typing import NamedTuple

import numpy as np
from kzoo_recipes import KzooError

from kzoo.text.alignment import align
from kzoo.text.tokenizer import AT_ONCE
from kzoo.text.windows import stretches

LONGEST = 1 << 30  # pieces whose words are numbered anew


class Stretch(NamedTuple):
    """A window's own tokens, without the special ones around them.

    Attributes:
        token_ids: int32 `(T,)`.
        word_of: int32 `(T,)`. Neighbours of one number are a word; -1 are none's.
        text: int. The text that it begins with.
    """

    token_ids: np.ndarray
    word_of: np.ndarray
    text: int


def windows_of(texts, tokenizer, room, pack, parted=True):
    """Cut texts into stretches of at most `room` tokens.

    Args:
        texts: list of str.
        tokenizer: `kzoo.text.Tokenizer`.
        room: int. Tokens of a window, special ones around it not counted.
        pack: bool. Whether texts share windows.
        parted: bool. Whether the token that ends a text stands between them, if the
            tokenizer has one.

    Returns:
        list of `Stretch`; and int, how many texts are longer than a window.

    Reference:
        - [Liu et al., 2019](https://arxiv.org/abs/1907.11692), FULL-SENTENCES
    """
    if room < 1:
        raise KzooError(
            f"`sequence_length` must be at least {tokenizer.num_special + 1}: "
            f"{tokenizer.num_special} special tokens and one of a text."
        )
    pieces = [
        (document.token_ids, document.word_of)  # The rest is let go.
        for start in range(0, len(texts), AT_ONCE)
        for document in align(tokenizer, texts[start : start + AT_ONCE])
    ]
    long = sum(len(ids) > room for ids, _ in pieces)
    if not pack:
        return [
            Stretch(ids[start:end], word_of[start:end], text)
            for text, (ids, word_of) in enumerate(pieces)
            for start, end in stretches(word_of, room)
        ], long
    return list(_packed(pieces, tokenizer.end_id if parted else None, room)), long


def _packed(pieces, end_id, room):
    """Stretches of all texts one after the other."""
    between = [] if end_id is None else [end_id]
    sizes = [len(ids) + len(between) for ids, _ in pieces]
    starts = np.cumsum([0, *sizes[:-1]])
    ids, words, before = [], [], 0
    for own, word_of in pieces:
        ids += [own, between]
        words += [np.where(word_of < 0, -1, word_of + before), [-1] * len(between)]
        before = (before + int(word_of.max(initial=-1)) + 1) % LONGEST
    ids = np.concatenate(ids).astype("int32")
    words = np.concatenate(words).astype("int32")
    inner = np.ones(len(ids), bool)
    if between:
        inner[starts + np.array(sizes) - 1] = False
    for start, end in stretches(words, room):
        held = np.flatnonzero(inner[start:end])
        if len(held):  # No window begins or ends with the end of a text.
            start, end = start + held[0], start + held[-1] + 1
            text = int(np.searchsorted(starts, start, side="right")) - 1
            yield Stretch(ids[start:end], words[start:end], text)
