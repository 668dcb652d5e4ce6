"""Character offsets that a reader would draw: no white space in, no accent left out."""

import unicodedata

import numpy as np

FIRST_MARK = 0x300  # No character below it merges into the one before it.


def tidy(offsets, text):
    """Correct the offsets of one text's tokens.

    `tokenizers` already points into the original string. Two things are mended here,
    for every kind of tokenizer alike. White space at either end of a token is left
    out, so "▁film" and "Ġfilm" cover "film", and a token of white space alone is
    empty. A combining mark that was merged into its letter or dropped ("e" + U+0301)
    belongs to the token of that letter, so the marks of a word are not lost.

    Args:
        offsets: int `(T, 2)`, start and end of each token.
        text: str. The original; or several with a line break between them.

    Returns:
        int32 `(T, 2)`, starts and ends both in order where the input's were.
    """
    starts, ends = offsets[:, 0], offsets[:, 1]
    full = ends > starts
    if not text.isascii():
        ends = np.where(full, _over_marks(starts[full], text)[ends], ends)
    places = np.arange(len(text) + 1)
    blank = np.fromiter(map(str.isspace, text), bool, len(text))
    word_after = np.append(np.where(blank, len(text), places[:-1]), len(text))
    word_after = np.minimum.accumulate(word_after[::-1])[::-1]
    word_before = np.append(0, np.where(blank, 0, places[1:]))
    word_before = np.maximum.accumulate(word_before)
    starts = np.where(full, np.minimum(word_after[starts], ends), starts)
    ends = np.where(full, np.maximum(word_before[ends], starts), ends)
    return np.stack([starts, ends], axis=1).astype("int32")  # (T, 2)


def _over_marks(starts, text):
    """For each place in `text`, the end of the marks that follow it.

    A mark at which a token starts is that token's.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    open_ = codes >= FIRST_MARK
    open_[starts] = False
    reach = np.arange(len(text) + 1)
    for place in np.flatnonzero(open_)[::-1]:
        if _joins(text[place]):
            reach[place] = reach[place + 1]
    return reach


def _joins(character):
    """Whether normalisation may merge this character into the one before it."""
    hangul = "\u1160" <= character <= "\u11ff"  # vowels and finals of a syllable
    return hangul or unicodedata.category(character).startswith("M")
