"""Models: functional in the constructor, rebuilt from their arguments alone."""

from kzoo.models.dual_encoder import DualEncoder
from kzoo.models.image_classifier import ImageClassifier
from kzoo.models.image_text_classifier import ImageTextClassifier
from kzoo.models.loading import check_model_file, load_model
from kzoo.models.masked_lm import MaskedLM
from kzoo.models.seq2seq import Seq2Seq
from kzoo.models.text_classifier import TextClassifier
from kzoo.models.token_tagger import TokenTagger

__all__ = [
    "DualEncoder",
    "ImageClassifier",
    "ImageTextClassifier",
    "MaskedLM",
    "Seq2Seq",
    "TextClassifier",
    "TokenTagger",
    "check_model_file",
    "load_model",
]
