"""kzoo: one transformer architecture for Keras 3, the same numbers everywhere.

Importing kzoo registers its layers and models with Keras, so that a saved model loads
with `keras.saving.load_model(path)`.
"""

from kzoo import layers
from kzoo.layers import set_seed

__version__ = "0.1.0"

__all__ = ["__version__", "layers", "set_seed"]
