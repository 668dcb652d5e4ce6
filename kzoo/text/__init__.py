"""Texts as token ids: a thin room over the `tokenizers` library. No Keras."""

from kzoo.text.making import make_tokenizer
from kzoo.text.tokenizer import Encoded, Tokenizer

__all__ = ["Encoded", "Tokenizer", "make_tokenizer"]
