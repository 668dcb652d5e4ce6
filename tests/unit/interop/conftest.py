"""A checkpoint of a classifier that was made in kzoo."""

import pytest
from helpers.read_again import CONFIG, TEXTS

import kzoo
from kzoo.models.families import FAMILIES


@pytest.fixture(scope="module")
def made():
    """A classifier in the shape of a BERT."""
    bert = FAMILIES["bert"]
    encoder = kzoo.layers.TransformerEncoder(**bert.stack(CONFIG), name="encoder")
    options = {**bert.classifier(CONFIG), "sequence_length": 12}
    model = kzoo.TextClassifier(encoder, 3, **options)
    tokenizer = kzoo.Tokenizer.train(TEXTS, vocabulary_size=70, min_frequency=1)
    return model.attach(tokenizer, ["no", "maybe", "yes"])


@pytest.fixture
def folder(made, tmp_path):
    kzoo.export_hugging_face(made, tmp_path / "model")
    return tmp_path / "model"
