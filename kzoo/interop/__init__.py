"""Checkpoints of other libraries, read and written without those libraries."""

from kzoo.interop.hugging_face import from_hugging_face

__all__ = ["from_hugging_face"]
