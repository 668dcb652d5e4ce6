"""Words of raw text, where punctuation inside a word is no word of its own.

Most corpora split "Ada's, (U.N.)" as `Ada 's , ( U.N. )`: what stands around a word is
parted from it, and what stands inside, as in `Jean-Luc`, `don't` or `3.50`, is not. A
tokenizer parts all of it. A tagger that learnt the one and is asked about the other
cuts names, so it is told which words it learnt (`kzoo.TokenTagger`).
"""

import functools
import re
import unicodedata

import numpy as np
from kzoo_recipes.characters import UNSPACED

STRETCH = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
POSSESSIVE = re.compile(r"['’]s", re.IGNORECASE)
# What a text that was split before, and joined by spaces, has of its own.
CLITIC = re.compile(r"['’](s|m|d|re|ve|ll)", re.IGNORECASE)
ABBREVIATION = re.compile(r"[^\W\d_]{1,2}(\.[^\W\d_]{1,2})+\.")  # U.N. and Ph.D.


def raw_words(text):
    """Where the words of a text start and end.

    It is cut at white space, and around ideographs and kana. Of what stands in between,
    punctuation at either end is parted, each run of one character a word, as in `?!`
    and `...`, and so is a final `'s`. A last dot stays where there are dots inside,
    between letters: `U.N.` Marks inside a word stay, and so does the `@` or `#` of a
    name in messages. Punctuation is what Unicode calls so, and the symbols of ASCII.
    Characters that show nothing, such as a zero-width space, are no word.

    Args:
        text: str.

    Returns:
        int32 `(W, 2)`, in order.
    """
    spans = []
    for found in STRETCH.finditer(text):
        spans += _parted(text, *found.span())
    return np.array(spans, "int32").reshape(-1, 2)


def holds_punctuation(word):
    """Whether punctuation stands inside a word, between other characters."""
    if word.isalnum():
        return False
    others = [place for place, mark in enumerate(map(_is_mark, word)) if not mark]
    return bool(others) and others[-1] - others[0] + 1 > len(others)


def _parted(text, start, end):
    """The words of a stretch without white space, list of `(start, end)`."""
    if text[start:end].isalnum() or CLITIC.fullmatch(text, start, end):
        return [(start, end)]
    before, after = [], []
    while start < end and _is_mark(text[start]):
        if text[start] in "@#" and text[start + 1 : end][:1].isalnum():
            break
        edge = start
        while start < end and text[start] == text[edge]:
            start += 1
        before.append((edge, start))
    while start < end and _is_mark(text[end - 1]):
        if ABBREVIATION.fullmatch(text, start, end):
            break
        edge = end
        while text[end - 1] == text[edge - 1]:
            end -= 1
        after.append((end, edge))
    if end - start > 2 and POSSESSIVE.fullmatch(text, end - 2, end):
        after.append((end - 2, end))
        end -= 2
    if any(map(str.isprintable, text[start:end])):
        before.append((start, end))
    return before + after[::-1]


@functools.lru_cache(maxsize=4096)
def _is_mark(character):
    """Whether a character is punctuation; a letter's accent and an emoji are not."""
    if character.isascii():
        return "!" <= character <= "~" and not character.isalnum()
    return unicodedata.category(character)[0] == "P"
