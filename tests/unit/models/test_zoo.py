"""The models that ship with kzoo: small, documented, and with the answers they had."""

import json
from importlib.resources import files

import keras
import pytest

import kzoo
from kzoo.safety.model_files import zoo

SHELF = files("kzoo_zoo")
TYPES = ["DATE", "LOC", "ORG", "PER", "PRODUCT"]
LABELS = {
    "summarizer": None,
    "text_classifier": ["negative", "positive"],
    "token_tagger": ["O", *(f"{mark}-{kind}" for kind in TYPES for mark in "BI")],
}


def recorded(name):
    return json.loads(SHELF.joinpath(f"{name}.json").read_text(encoding="utf-8"))


def test_the_classifier_gives_its_recorded_answers_again():
    then = recorded("text_classifier")
    texts = [answer["text"] for answer in then]
    now = kzoo.load_model("zoo:text_classifier").classify(texts)
    assert len(then) >= 8
    for old, new in zip(then, now, strict=True):
        assert new["label"] == old["label"], old["text"]
        found = new["probabilities"]["positive"]
        assert found == pytest.approx(old["positive"], abs=1e-4), old["text"]


def test_the_tagger_gives_its_recorded_answers_again():
    then = recorded("token_tagger")
    texts = [answer["text"] for answer in then]
    now = kzoo.load_model("zoo:token_tagger").tag(texts)
    assert len(then) >= 8
    for old, new in zip(then, now, strict=True):
        places = [
            [(one["entity_group"], one["start"], one["end"]) for one in entities]
            for entities in (new, old["entities"])
        ]
        assert places[0] == places[1], old["text"]
        for one, other in zip(new, old["entities"], strict=True):
            assert one["score"] == pytest.approx(other["score"], abs=1e-4), old["text"]


def test_the_summarizer_gives_its_recorded_answers_again():
    then = recorded("summarizer")
    assert len(then) >= 8
    model = kzoo.load_model("zoo:summarizer")
    for beams in (1, 4):
        asked = [answer for answer in then if answer["beams"] == beams]
        texts = [answer["text"] for answer in asked]
        now = model.answers(texts, model.settings(beams=beams))
        assert len(asked) >= 4
        for old, new in zip(asked, now, strict=True):
            assert new["summary"] == old["summary"], old["text"]
            assert new["score"] == pytest.approx(old["score"], abs=1e-3), old["text"]


@pytest.mark.parametrize("name", zoo())
def test_plain_keras_loads_it(name, tmp_path):
    path = tmp_path / "model.keras"
    path.write_bytes(SHELF.joinpath(f"{name}.keras").read_bytes())
    model = keras.saving.load_model(path)
    assert isinstance(model, keras.Model)
    assert model.labels == LABELS[name]


@pytest.mark.parametrize("name", zoo())
def test_it_is_small_and_has_a_card(name):
    assert len(SHELF.joinpath(f"{name}.keras").read_bytes()) <= 4_000_000
    card = SHELF.joinpath(f"{name}.md").read_text(encoding="utf-8")
    assert f"kzoo train {name}" in card


def test_there_is_one_for_each_task():
    assert zoo() == sorted(LABELS)
