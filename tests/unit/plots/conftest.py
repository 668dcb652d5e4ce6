"""Small models with their tokenizers, made once, and commands in this process."""

import os
import sys

import keras
import pytest
from click.testing import CliRunner
from kzoo_cli.group import group

import kzoo
from kzoo.text import Tokenizer

TEXTS = ["the cat sat on a mat", "a dog sat there", "the mat was red and old"] * 3
SIZES = {"num_layers": 3, "num_heads": 2, "hidden_dim": 8, "intermediate_dim": 8}


@pytest.fixture(scope="session")
def tokenizer():
    return Tokenizer.train(TEXTS, vocabulary_size=60, min_frequency=1)


def stack(tokenizer, kind=kzoo.layers.TransformerEncoder, **more):
    return kind(tokenizer.vocabulary_size, **{**SIZES, **more})


@pytest.fixture(scope="session")
def classifier(tokenizer):
    keras.utils.set_random_seed(1)
    encoder = stack(tokenizer, position="learned")
    model = kzoo.TextClassifier(encoder, 2, sequence_length=16)
    return model.attach(tokenizer, ["no", "yes"])


@pytest.fixture(scope="session")
def tagger(tokenizer):
    model = kzoo.TokenTagger(stack(tokenizer, position="alibi"), 3, sequence_length=16)
    return model.attach(tokenizer, ["O", "B-X", "I-X"])


@pytest.fixture(scope="session")
def masked(tokenizer):
    return kzoo.MaskedLM(stack(tokenizer), sequence_length=16).attach(tokenizer)


@pytest.fixture(scope="session")
def summarizer(tokenizer):
    model = kzoo.Seq2Seq(
        stack(tokenizer),
        stack(tokenizer, kzoo.layers.TransformerDecoder, num_layers=2),
        tokenizer.start_id,
        tokenizer.end_id,
        source_length=16,
        target_length=6,
        generation={"beams": 1},
    )
    return model.attach(tokenizer)


@pytest.fixture(scope="session")
def pictured(tokenizer):
    encoder = stack(tokenizer, kzoo.layers.ImageTextEncoder, image_size=4, patch_size=2)
    model = kzoo.ImageTextClassifier(encoder, 2, sequence_length=16)
    return model.attach(tokenizer, ["no", "yes"])


@pytest.fixture
def command(monkeypatch, tmp_path):
    """Run `kzoo` on the backend that runs: `command("plot", "history", "x")`."""
    monkeypatch.setenv("KERAS_BACKEND", keras.backend.backend())
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv(
        "TF_CPP_MIN_LOG_LEVEL", os.environ.get("TF_CPP_MIN_LOG_LEVEL", "")
    )
    monkeypatch.setitem(sys.modules, "tensorflow", sys.modules.get("tensorflow"))
    monkeypatch.chdir(tmp_path)

    def run(*words):
        return CliRunner().invoke(group, ["plot", *map(str, words)])

    return run
