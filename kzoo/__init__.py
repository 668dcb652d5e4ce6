"""kzoo: one transformer architecture for Keras 3, the same numbers everywhere.

Importing kzoo registers its layers and models with Keras, so that a saved model loads
with `keras.saving.load_model(path)`.
"""

from kzoo_recipes import KzooError

from kzoo import images, layers
from kzoo.interop.adapters import load_adapter
from kzoo.interop.export import export_hugging_face
from kzoo.interop.hugging_face import from_hugging_face
from kzoo.interop.keras_hub import export_keras_hub, from_keras_hub, to_keras_hub
from kzoo.interop.peft import export_peft, from_peft
from kzoo.layers import set_seed
from kzoo.models import (
    DualEncoder,
    ImageClassifier,
    ImageTextClassifier,
    MaskedLM,
    Seq2Seq,
    TextClassifier,
    TokenTagger,
    check_model_file,
    load_model,
)
from kzoo.models.adaptation import adapt, merge
from kzoo.text import Tokenizer
from kzoo.training import compare, dry_run, evaluate, resume, train, train_seeds

__version__ = "0.1.0"

__all__ = [
    "DualEncoder",
    "ImageClassifier",
    "ImageTextClassifier",
    "KzooError",
    "MaskedLM",
    "Seq2Seq",
    "TextClassifier",
    "TokenTagger",
    "Tokenizer",
    "__version__",
    "adapt",
    "check_model_file",
    "compare",
    "dry_run",
    "evaluate",
    "export_hugging_face",
    "export_keras_hub",
    "export_peft",
    "from_hugging_face",
    "from_keras_hub",
    "from_peft",
    "images",
    "layers",
    "load_adapter",
    "load_model",
    "merge",
    "resume",
    "set_seed",
    "to_keras_hub",
    "train",
    "train_seeds",
]
