"""Where the words of a text stand, if only the text was given."""

import bisect
import itertools
import re
import unicodedata

from kzoo_recipes.characters import UNSPACED

RUNS = re.compile(r"[^\W_]+|\S")
JOINERS = "\u200c\u200d"  # zero width: they hold words and emoji together
TONES = ("\U0001f3fb", "\U0001f3ff")  # of the skin of an emoji
SINGLE = re.compile(f"[{UNSPACED}]")


def words_of(text):
    """The words of a text: runs of letters and digits, and single other characters.

    Marks and joiners stay with the character before them, so that neither an accent
    nor an emoji of several parts is torn. Ideographs and kana are words each.

    Returns:
        list of `(start, end)`, in order.
    """
    words = []
    for found in RUNS.finditer(text):
        start, end = found.span()
        if words and words[-1][1] == start and _continues(text, words[-1], start):
            words[-1] = (words[-1][0], end)
        else:
            words.append((start, end))
    if SINGLE.search(text):
        words = [part for word in words for part in _singles(text, *word)]
    return words


def words_at(text, borders):
    """The words of a text, parted at `borders` too.

    Args:
        text: str.
        borders: list of int. Places in the text.

    Returns:
        list of `(start, end)`, and a list of the words, str, that a border parted.
    """
    borders = sorted(set(borders))
    words, parted = [], []
    for start, end in words_of(text):
        inner = borders[
            bisect.bisect_right(borders, start) : bisect.bisect_left(borders, end)
        ]
        if inner:
            parted.append(text[start:end])
        places = [start, *inner, end]
        words += itertools.pairwise(places)
    return words, parted


def trimmed(text, start, end):
    """A span without the white space at its ends, and whether there was any."""
    inner = text[start:end]
    left, right = len(inner) - len(inner.lstrip()), len(inner) - len(inner.rstrip())
    return start + left, end - right, bool(left or right)


def located(words, text):
    """Where words stand in a text that holds them and white space, nothing else.

    Returns:
        list of `(start, end)`, or `None` if it holds anything else.
    """
    spans, place = [], 0
    for word in words:
        start = text.find(word, place)
        if start < 0 or text[place:start].strip():
            return None
        place = start + len(word)
        spans.append((start, place))
    return None if text[place:].strip() else spans


def _continues(text, word, start):
    """Whether the character at `start` is part of the word that ends there."""
    here, before = text[start], text[start - 1]
    if before == "\u200d" and start - word[0] > 1:
        return True
    if before == "\u200c" or unicodedata.category(before)[0] == "M":
        # A letter goes on behind its accent, but not behind a sign with a mark.
        return _joins(here) or (here.isalnum() and text[word[0]].isalnum())
    return _joins(here)


def _joins(character):
    return (
        character in JOINERS
        or unicodedata.category(character)[0] == "M"
        or TONES[0] <= character <= TONES[1]
    )


def _singles(text, start, end):
    """A word, with each ideograph in it as one of its own."""
    places = [start]
    for place in range(start, end):
        if SINGLE.match(text[place]):
            places += [place, place + 1]
            while places[-1] < end and _joins(text[places[-1]]):
                places[-1] += 1
    places = [*dict.fromkeys([*places, end])]
    return itertools.pairwise(places)
