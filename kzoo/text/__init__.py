"""Texts as token ids: a thin room over the `tokenizers` library. No Keras."""

from kzoo.text.alignment import Aligned, align, joined
from kzoo.text.encoded import Encoded
from kzoo.text.making import make_tokenizer
from kzoo.text.raw_words import raw_words
from kzoo.text.tokenizer import Tokenizer

__all__ = [
    "Aligned",
    "Encoded",
    "Tokenizer",
    "align",
    "joined",
    "make_tokenizer",
    "raw_words",
]
