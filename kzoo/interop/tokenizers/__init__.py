"""Tokenizers as Hugging Face checkpoints hold them, in and out. Needs no transformers.

Whatever files a checkpoint has, they are turned into the description that a
`tokenizer.json` is, and that is what `kzoo.text.Tokenizer` reads and saves.
"""

from kzoo.interop.tokenizers.limits import read_limits
from kzoo.interop.tokenizers.reading import read_tokenizer
from kzoo.interop.tokenizers.writing import write_tokenizer

__all__ = ["read_limits", "read_tokenizer", "write_tokenizer"]
