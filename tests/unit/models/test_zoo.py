"""The models that ship with kzoo: small, documented, and with the answers they had."""

import json
from importlib.resources import files

import keras
import pytest

import kzoo
from kzoo.models.loading import zoo

SHELF = files("kzoo_zoo")


@pytest.mark.parametrize("name", zoo())
def test_recorded_answers_are_given_again(name):
    recorded = json.loads(SHELF.joinpath(f"{name}.json").read_text(encoding="utf-8"))
    answers = kzoo.load_model(f"zoo:{name}").classify([r["text"] for r in recorded])
    assert len(recorded) >= 8
    for then, now in zip(recorded, answers, strict=True):
        assert now["label"] == then["label"], then["text"]
        found = now["probabilities"]["positive"]
        assert found == pytest.approx(then["positive"], abs=1e-4), then["text"]


@pytest.mark.parametrize("name", zoo())
def test_plain_keras_loads_it(name, tmp_path):
    path = tmp_path / "model.keras"
    path.write_bytes(SHELF.joinpath(f"{name}.keras").read_bytes())
    model = keras.saving.load_model(path)
    assert isinstance(model, keras.Model)
    assert model.labels == ["negative", "positive"]


@pytest.mark.parametrize("name", zoo())
def test_it_is_small_and_has_a_card(name):
    assert len(SHELF.joinpath(f"{name}.keras").read_bytes()) <= 4_000_000
    card = SHELF.joinpath(f"{name}.md").read_text(encoding="utf-8")
    assert f"kzoo train {name}" in card


def test_there_is_a_text_classifier():
    assert "text_classifier" in zoo()
