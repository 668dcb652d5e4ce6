"""Rows of text and label, and the batches that are made of them. No Keras."""

from kzoo.data.labels import LabelSet
from kzoo.data.readers import Rows, read
from kzoo.data.splits import hashed_split, load_splits

__all__ = ["LabelSet", "Rows", "hashed_split", "load_splits", "read"]
