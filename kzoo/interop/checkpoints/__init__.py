"""Folders of weights as Hugging Face keeps them: config.json and safetensors."""

from kzoo.interop.checkpoints.reading import Checkpoint
from kzoo.interop.checkpoints.writing import write

__all__ = ["Checkpoint", "write"]
