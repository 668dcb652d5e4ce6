"""keras-hub's backbones, tasks and tokenizers as kzoo's, and back."""

from kzoo.interop.keras_hub.reading import from_keras_hub
from kzoo.interop.keras_hub.saving import export_keras_hub
from kzoo.interop.keras_hub.writing import to_keras_hub

__all__ = ["export_keras_hub", "from_keras_hub", "to_keras_hub"]
