"""Models: functional in the constructor, rebuilt from their arguments alone."""

from kzoo.models.loading import check_model_file, load_model
from kzoo.models.text_classifier import TextClassifier

__all__ = ["TextClassifier", "check_model_file", "load_model"]
