"""Opening a model: one sentence for everything that is none."""

import zipfile

import keras
import pytest
from kzoo_recipes import KzooError

import kzoo


def refusal(path):
    with pytest.raises(KzooError) as caught:
        kzoo.load_model(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    sentence = refusal(tmp_path / "none.keras")
    assert sentence.startswith(f"{tmp_path / 'none.keras'}: there is no model here;")


def test_an_empty_folder_has_no_model(tmp_path):
    assert "there is no model here; name a .keras file, a run folder" in refusal(
        tmp_path
    )


def test_an_unknown_name_lists_the_zoo():
    assert refusal("zoo:nothing") == (
        "zoo:nothing: there is no such model in the zoo; it holds summarizer, "
        "text_classifier, token_tagger."
    )


def test_what_is_no_archive_is_said(tmp_path):
    path = tmp_path / "text.keras"
    path.write_text("hello")
    assert refusal(path) == (
        f"{path}: this is not a .keras archive; name a file that kzoo saved."
    )


def test_an_empty_archive_holds_no_model(tmp_path):
    path = tmp_path / "empty.keras"
    with zipfile.ZipFile(path, "w"):
        pass
    assert refusal(path) == (
        f"{path}: the archive has no config.json, so the model does not say what model "
        "it is; name a file that kzoo saved."
    )


def test_a_truncated_archive_does_not_load(tmp_path):
    path = tmp_path / "cut.keras"
    with kzoo.models.loading.model_file("zoo:text_classifier") as whole:
        path.write_bytes(whole.read_bytes()[:100_000])
    assert "the archive is cut off before its table of members" in refusal(path)


def test_another_keras_model_is_not_kzoos(tmp_path):
    path = tmp_path / "dense.keras"
    keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)]).save(path)
    assert refusal(path) == (
        f"{path}: config.json: this is a Keras model of class Sequential, not one that "
        "kzoo saved; open it with keras.saving.load_model."
    )


def test_a_model_without_assets_is_said(tmp_path):
    path = tmp_path / "bare.keras"
    encoder = kzoo.layers.TransformerEncoder(20, 1, 2, 8, 16)
    kzoo.TextClassifier(encoder, 2, name="bare").save(path)
    assert refusal(path) == (
        f"{path}: the archive has no assets/tokenizer.json, so the model cannot read "
        "text; name a file that kzoo saved."
    )


def test_missing_weights_do_not_load(tmp_path):
    path = tmp_path / "weightless.keras"
    with (
        kzoo.models.loading.model_file("zoo:text_classifier") as whole,
        zipfile.ZipFile(whole) as source,
        zipfile.ZipFile(path, "w") as target,
    ):
        for name in source.namelist():
            if name != "model.weights.h5":
                target.writestr(name, source.read(name))
    assert refusal(path) == (
        f"{path}: the archive has no model.weights.h5, so the model has no weights; "
        "name a file that kzoo saved."
    )
