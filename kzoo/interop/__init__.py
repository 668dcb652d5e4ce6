"""Checkpoints of other libraries, read and written without those libraries."""

from kzoo.interop.export import export_hugging_face
from kzoo.interop.hugging_face import from_hugging_face

__all__ = ["export_hugging_face", "from_hugging_face"]
