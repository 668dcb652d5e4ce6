"""A classifier that gives any number of labels, and keeps its thresholds."""

import json

import keras
import numpy as np
import pytest
from helpers.rounding import assert_alike

import kzoo
from kzoo.layers import TransformerEncoder

TEXTS = ["good room", "bad food", "a long walk " * 30, ""]


def classifier(num_classes=3, **options):
    kzoo.set_seed(7)
    tokenizer = kzoo.Tokenizer.train(TEXTS * 2, "wordpiece", 60)
    encoder = TransformerEncoder(tokenizer.vocabulary_size, 1, 2, 8, 16)
    model = kzoo.TextClassifier(
        encoder, num_classes, sequence_length=16, multi_label=True, **options
    )
    return model.attach(tokenizer, ["food", "room", "walk"][:num_classes])


def test_each_label_is_a_question_of_its_own():
    model = classifier()
    answers = model.classify(TEXTS)
    encoded = model.tokenizer.encode(TEXTS[:1], 16).token_ids
    inputs = kzoo.data.batches.pad(encoded, 16, model.tokenizer.pad_id)
    logits = model.predict_on_batch(inputs)[0].astype("float64")
    expected = dict(zip(model.labels, 1 / (1 + np.exp(-logits)), strict=True))
    assert answers[0]["probabilities"] == pytest.approx(expected, abs=1e-6)
    for answer in answers:
        assert set(answer) == {"labels", "probabilities", "truncated"}
        assert answer["labels"] == [
            label for label in model.labels if answer["probabilities"][label] >= 0.5
        ]
    assert json.loads(json.dumps(answers)) == answers


def test_thresholds_decide():
    model = classifier(thresholds=[0.0, 1.0, 0.0])
    assert [a["labels"] for a in model.classify(TEXTS)] == [["food", "walk"]] * 4
    model.set_thresholds(1.0)
    assert model.classify(TEXTS[0])["labels"] == []


def test_a_saved_model_answers_as_before(tmp_path):
    model = classifier()
    model.set_thresholds([0.25, 0.5, 0.75])
    model.save(tmp_path / "model.keras")
    for loaded in (
        kzoo.load_model(tmp_path / "model.keras"),
        keras.saving.load_model(tmp_path / "model.keras"),
    ):
        assert loaded.multi_label
        assert loaded.thresholds == (0.25, 0.5, 0.75)
        assert_alike(loaded.classify(TEXTS), model.classify(TEXTS))
        assert json.dumps(loaded.get_config()) == json.dumps(model.get_config())


def test_a_file_from_before_knows_one_label():
    config = classifier().get_config()
    del config["multi_label"], config["thresholds"]
    old = kzoo.TextClassifier.from_config(config)
    assert not old.multi_label
    assert old.thresholds is None


def test_one_label_alone_is_enough():
    answer = classifier(1).classify("good room")
    assert list(answer["probabilities"]) == ["food"]


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"num_classes": 0}, "Received: num_classes=0"),
        ({"thresholds": [0.5, 0.5]}, r"must be 3 numbers .* thresholds=\[0.5, 0.5\]"),
        ({"thresholds": 1.5}, "from 0 to 1, or one for all. Received: thresholds=1.5"),
        ({"thresholds": [0.5, 0.5, float("nan")]}, "from 0 to 1"),
        ({"multi_label": False, "thresholds": 0.5}, "only with `multi_label=True`"),
    ],
)
def test_what_does_not_fit_is_refused(options, sentence):
    encoder = TransformerEncoder(20, 1, 2, 8, 16)
    arguments = {"num_classes": 3, "multi_label": True, **options}
    with pytest.raises(ValueError, match=sentence):
        kzoo.TextClassifier(encoder, **arguments)
