"""What is measured on a split: thin over scikit-learn. No Keras."""

from kzoo.metrics.classification import classification_metrics

__all__ = ["classification_metrics"]
