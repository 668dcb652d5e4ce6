"""The classifier: what it takes, what it answers, and what it refuses."""

import json

import numpy as np
import pytest
from helpers.layers import array
from helpers.rounding import assert_alike
from kzoo_recipes import KzooError

import kzoo
from kzoo.layers import TransformerEncoder

TEXTS = ["good film", "bad film", "a long and good film " * 30, "café"]


@pytest.fixture(scope="module")
def model():
    kzoo.set_seed(7)
    tokenizer = kzoo.Tokenizer.train(TEXTS * 2, "wordpiece", 60)
    encoder = TransformerEncoder(tokenizer.vocabulary_size, 1, 2, 8, 16)
    model = kzoo.TextClassifier(encoder, 3, sequence_length=16)
    return model.attach(tokenizer, ["bad", "fair", "good"])


@pytest.mark.parametrize(
    "text",
    ["", " ", "\t\n", "x", "\U0001f600" * 50, "word " * 20_000, "\x00", "\ud800"],
    ids=["empty", "space", "white", "letter", "emoji", "100,000", "NUL", "surrogate"],
)
def test_any_text_has_one_answer(model, text):
    answer = model.classify(text)
    assert answer["label"] in model.labels
    assert sum(answer["probabilities"].values()) == pytest.approx(1)
    assert answer["truncated"] == (len(text) == 100_000)


def test_answers_come_in_order_and_do_not_depend_on_the_rest(model):
    many = [*TEXTS, "", "x", *TEXTS] * 9
    together = model.classify(many, batch_size=8)
    assert len(together) == len(many)
    for text, answer in list(zip(many, together, strict=True))[:10]:
        alone = model.classify(text)
        assert alone["label"] == answer["label"]
        for label, probability in alone["probabilities"].items():
            assert answer["probabilities"][label] == pytest.approx(
                probability, abs=1e-6
            )


def test_no_texts_no_answers(model):
    assert model.classify([]) == []


def test_what_is_no_text_is_refused_by_its_place(model):
    with pytest.raises(TypeError, match=r"Received: texts\[1\] of type int"):
        model.classify(["fine", 3])
    for texts in (None, 5, b"fine", {"text": "fine"}, {"fine"}):
        name = type(texts).__name__
        with pytest.raises(
            TypeError, match=rf"list of str\. Received: texts of type {name}$"
        ):
            model.classify(texts)


def test_without_a_tokenizer_it_says_what_to_do():
    bare = kzoo.TextClassifier(TransformerEncoder(20, 1, 2, 8, 16), 2, name="bare")
    with pytest.raises(KzooError, match="'bare' has no tokenizer and labels"):
        bare.classify("x")


@pytest.mark.parametrize(
    "labels", [["a", "b"], ["a", "b", "c", "d"], ["a", "b", "b"], []]
)
def test_labels_that_do_not_fit_are_refused(model, labels):
    with pytest.raises(ValueError, match="needs 3 different labels"):
        model.attach(model.tokenizer, labels)


def test_a_tokenizer_that_does_not_fit_is_refused(model):
    small = kzoo.TextClassifier(TransformerEncoder(6, 1, 2, 8, 16), 3)
    with pytest.raises(ValueError, match=r"Received: tokenizer.vocabulary_size=\d+"):
        small.attach(model.tokenizer, ["a", "b", "c"])


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"num_classes": 1}, "Received: num_classes=1"),
        ({"pooling": "sum"}, "Received: kind='sum'"),
        ({"activation": "swish"}, "Received: activation='swish'"),
        ({"dropout": 1.0}, "Received: rate=1.0"),
    ],
)
def test_bad_arguments_are_named(arguments, sentence):
    encoder = TransformerEncoder(20, 1, 2, 8, 16)
    with pytest.raises(ValueError, match=sentence):
        kzoo.TextClassifier(encoder, **{"num_classes": 2, **arguments})


def test_texts_longer_than_learned_positions_are_refused():
    encoder = TransformerEncoder(20, 1, 2, 8, 16, position="learned")
    with pytest.raises(ValueError, match="positions for 512 tokens"):
        kzoo.TextClassifier(encoder, 2, sequence_length=513)


@pytest.mark.parametrize("pooling", ["mean", "max", "first"])
def test_pooling_ignores_padding(model, pooling):
    hidden = np.random.default_rng(7).normal(size=(2, 5, 4)).astype("float32")
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], bool)
    pool = kzoo.layers.Pooling(pooling)
    expected = {
        "mean": [hidden[0, :3].mean(0), hidden[1].mean(0)],
        "max": [hidden[0, :3].max(0), hidden[1].max(0)],
        "first": hidden[:, 0],
    }[pooling]
    np.testing.assert_allclose(array(pool(hidden, mask)), expected, rtol=1e-5)


def test_a_saved_model_answers_as_before(model, tmp_path):
    model.save(tmp_path / "model.keras")
    loaded = kzoo.load_model(tmp_path / "model.keras")
    assert_alike(loaded.classify(TEXTS), model.classify(TEXTS))
    assert json.dumps(loaded.get_config()) == json.dumps(model.get_config())
