"""Texts as token ids: a thin room over the `tokenizers` library. No Keras."""

from kzoo.text.tokenizer import Encoded, Tokenizer

__all__ = ["Encoded", "Tokenizer"]
