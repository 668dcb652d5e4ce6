"""kzoo: one transformer architecture for Keras 3, the same numbers everywhere."""

__version__ = "0.1.0"
