"""Models: functional in the constructor, rebuilt from their arguments alone."""

from kzoo.models.loading import check_model_file, load_model
from kzoo.models.masked_lm import MaskedLM
from kzoo.models.seq2seq import Seq2Seq
from kzoo.models.text_classifier import TextClassifier
from kzoo.models.token_tagger import TokenTagger

__all__ = [
    "MaskedLM",
    "Seq2Seq",
    "TextClassifier",
    "TokenTagger",
    "check_model_file",
    "load_model",
]
