"""Comparing saved models: the same rows or none."""

import keras
import pytest
from helpers.toys import once
from kzoo_recipes import KzooError, to_toml

import kzoo
from kzoo import layers
from kzoo.text import Tokenizer

pytestmark = once

TEXTS = ["a fine film", "a dull film", "lovely and great", "awful and poor"]


def save(folder, labels=("bad", "good"), seed=1):
    """A model with random weights in a folder of its own."""
    folder.mkdir()
    layers.set_seed(seed)
    tokenizer = Tokenizer.train(TEXTS, vocabulary_size=60, min_frequency=1)
    encoder = layers.TransformerEncoder(tokenizer.vocabulary_size, 1, 2, 8, 8)
    model = kzoo.TextClassifier(encoder, len(labels), sequence_length=8)
    model.attach(tokenizer, labels).save(folder / "model.keras")
    return folder


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"{text},{'bad' if n % 2 else 'good'}" for n, text in enumerate(TEXTS * 3)]
    path.write_text("\n".join(["text,label", *lines]))
    return path


def test_two_models_on_a_file(tmp_path, rows):
    first, second = save(tmp_path / "a"), save(tmp_path / "b", ("good", "bad"), 2)
    found = kzoo.compare(first, second, data=rows, resamples=20)
    for key, folder in (("first", first), ("second", second)):
        alone = kzoo.evaluate(folder, data=rows, resamples=0)
        for name, one in found["metrics"].items():
            assert one[key] == pytest.approx(alone[name], abs=1e-12), name
    assert (found["first"], found["second"]) == (str(first), str(second))
    again = kzoo.compare(second, first, data=rows, resamples=20)
    for name, one in again["metrics"].items():
        assert one["difference"] == pytest.approx(
            -found["metrics"][name]["difference"], abs=1e-12
        )
    assert len(again["only_first"]) == len(found["only_second"])
    assert again["mcnemar"]["p_value"] == found["mcnemar"]["p_value"]


def test_other_labels_are_refused(tmp_path, rows):
    first, second = save(tmp_path / "a"), save(tmp_path / "b", ("bad", "fair"))
    with pytest.raises(KzooError, match=r"labels differ; only .*b knows \"fair\""):
        kzoo.compare(first, second, data=rows)


def test_what_is_told_of_words_does_not_fit_a_classifier(tmp_path, rows):
    folder = save(tmp_path / "a")
    reason = "a labels texts: --words and --tags says? nothing about its rows"
    for ask in (kzoo.evaluate, lambda *one, **told: kzoo.compare(*one, *one, **told)):
        with pytest.raises(KzooError, match=reason):
            ask(folder, data=rows, words="token", tags="2")


@pytest.mark.parametrize(
    "change, reason",
    [
        (lambda lines: lines[:-1], "the first has 4 rows, the second 3"),
        (
            lambda lines: [*lines[:2], "other,bad", *lines[3:]],
            r"row 2 has another text in each \(.*test.csv, line 3, and .*line 3\)",
        ),
        (
            lambda lines: [*lines[:3], lines[3].replace("good", "bad"), *lines[4:]],
            'row 3 is labelled "good" in the first and "bad" in the second',
        ),
    ],
)
def test_other_rows_are_refused(tmp_path, change, reason):
    lines = ["text,label"]
    lines += [f"{text},{'bad' if n % 2 else 'good'}" for n, text in enumerate(TEXTS)]
    folders = [save(tmp_path / "a"), save(tmp_path / "b", seed=2)]
    for folder, own in zip(folders, (lines, change(lines)), strict=True):
        file = folder / "test.csv"
        file.write_text("\n".join(own))
        files = dict.fromkeys(("train", "dev", "test"), str(file))
        recipe = kzoo_recipe(files)
        (folder / "recipe.toml").write_text(to_toml(recipe))
    with pytest.raises(KzooError, match=reason):
        kzoo.compare(*folders)
    assert kzoo.compare(folders[0], folders[0], resamples=0)["rows"] == 4


def kzoo_recipe(files):
    from kzoo_recipes import from_dict

    encoder = {
        "num_layers": 1,
        "num_heads": 2,
        "hidden_dim": 8,
        "intermediate_dim": 8,
    }
    tables = {
        "name": "toy",
        "task": "text_classifier",
        "backend": keras.backend.backend(),
        "data": {**files, "sequence_length": 8},
        "model": {"encoder": encoder},
    }
    return from_dict(tables, "toy.toml")
