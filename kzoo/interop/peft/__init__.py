"""Adapters as PEFT keeps them, in and out: updates of low rank (LoRA)."""

from kzoo.interop.peft.reading import from_peft
from kzoo.interop.peft.writing import export_peft

__all__ = ["export_peft", "from_peft"]
