"""Rows of text and label, and the batches that are made of them. No Keras."""

from kzoo.data.labels import LabelSet
from kzoo.data.readers import Layout, Row, RowError, Rows, iterate, read
from kzoo.data.splits import hashed_split, load_splits

__all__ = [
    "LabelSet",
    "Layout",
    "Row",
    "RowError",
    "Rows",
    "hashed_split",
    "iterate",
    "load_splits",
    "read",
]
