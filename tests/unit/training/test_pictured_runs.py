"""Whole runs of texts with pictures: trained, resumed, measured, asked."""

import dataclasses

import numpy as np
import pytest
from kzoo_recipes import KzooError
from PIL import Image

import kzoo
from kzoo.data.pictured import load_pictured_splits
from kzoo.images import open_picture
from kzoo.models.image_text_classifier import ImageTextClassifier
from kzoo.tasks import TASKS
from kzoo.tasks.image_text_classifier import settings_of
from kzoo.tasks.pictures import PictureFile
from kzoo.training.setup import set_up
from tests.helpers.interrupted import assert_equal_bits, records, whole_and_resumed
from tests.helpers.pictured_toys import COLOURS, toy_pictured
from tests.helpers.toys import once


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictured")
    recipe = toy_pictured(folder, training={"epochs": 25})
    return folder, recipe, kzoo.train(recipe, folder / "runs", progress=False)


def test_it_learns_and_is_asked(run):
    folder, _, result = run
    assert result.metrics["test"]["accuracy"] == 1
    model = kzoo.load_model(result.folder)
    red = np.full((30, 12, 3), COLOURS["red"], "uint8")
    answers = model.classify([red, red], ["it is red", "blue"])
    assert [answer["label"] for answer in answers] == ["yes", "no"]
    [_, yes] = model.classify(red, "it is red")["probabilities"].values()
    assert yes == pytest.approx(answers[0]["probabilities"]["yes"], abs=1e-6)
    assert sum(answers[0]["probabilities"].values()) == pytest.approx(1)
    file = folder / "test_pictures" / "0.png"
    assert model.classify(file, "red")["label"] == "yes"
    assert model.classify([], []) == []


def test_measured_anew(run):
    folder, _, result = run
    found = kzoo.evaluate(result.folder, resamples=0)
    assert found["accuracy"] == result.metrics["test"]["accuracy"]
    other = kzoo.evaluate(result.folder, data=folder / "dev.csv", resamples=0)
    assert other["task"] == "image_text_classifier" and "per_class" in other


@once
def test_resumed_it_ends_in_the_same_bits(tmp_path):
    recipe = toy_pictured(tmp_path, training={"accumulation": 2, "log_every": 1})
    whole, resumed = whole_and_resumed(recipe, tmp_path)
    assert records(whole.folder) == records(resumed.folder)
    assert_equal_bits(whole, resumed, 9)


@once
def test_pictures_need_not_stay_in_memory(tmp_path):
    recipe = toy_pictured(tmp_path)
    task = TASKS[recipe.task]()
    kept = task.prepare(recipe)
    splits = load_pictured_splits(recipe.data)
    arguments = kept.tokenizer, kept.labels, kept.sequence_length, kept.images
    lazy = task.encode(splits, *arguments, room=5 * 8 * 8 * 3)
    held = [isinstance(image, np.ndarray) for image in lazy.splits["train"].images]
    assert sum(held) == 5 and isinstance(lazy.splits["train"].images[9], PictureFile)
    assert any("35 of 40 pictures are read again" in note for note in lazy.notes)
    first, again = (
        task.batches(recipe, prepared).at(1).inputs["pixels"]
        for prepared in (kept, lazy)
    )
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(
        kept.splits["dev"].digests, lazy.splits["dev"].digests
    )


@once
def test_a_changed_picture_is_other_rows(tmp_path):
    recipe = toy_pictured(tmp_path)
    task = TASKS[recipe.task]()
    before = task.prepare(recipe).splits["train"].numbers()[-1]
    pictures = tmp_path / "train_pictures"
    pictures.joinpath("3.png").write_bytes(pictures.joinpath("2.png").read_bytes())
    after = task.prepare(recipe).splits["train"].numbers()[-1]
    assert list(np.flatnonzero((before != after).any(axis=1))) == [3]


@once
def test_a_broken_picture_ends_the_run_before_it_begins(tmp_path):
    recipe = toy_pictured(tmp_path)
    broken = tmp_path / "train_pictures" / "7.png"
    broken.write_bytes(broken.read_bytes()[:45])
    with pytest.raises(KzooError) as error:
        set_up(recipe)
    table = tmp_path / "train.csv"
    assert str(error.value).startswith(f"{table}, line 9: {broken}: ")


@once
def test_moving_pictures_are_counted(tmp_path):
    recipe = toy_pictured(tmp_path)
    frames = [Image.new("RGB", (9, 9), name) for name in ("red", "blue")]
    file = tmp_path / "train_pictures" / "0.png"
    frames[0].save(file, format="GIF", save_all=True, append_images=frames[1:])
    assert open_picture(file).several
    notes = TASKS[recipe.task]().prepare(recipe).notes
    assert "train: 1 file holds several pictures; its first is read" in notes


@once
def test_wrong_questions(run):
    model = kzoo.load_model(run[2].folder)
    red = np.full((9, 9, 3), COLOURS["red"], "uint8")
    with pytest.raises(ValueError, match="Received: 1 images, 2 texts"):
        model.classify([red], ["a", "b"])
    with pytest.raises(TypeError, match=r"Received: images\[0\] of type int"):
        model.classify([3], ["a"])
    with pytest.raises(KzooError, match=r"none.png: there is no such file"):
        model.classify(["none.png"], ["a"])


@once
def test_models_that_cannot_be(run):
    recipe = run[1]
    settings = dataclasses.replace(settings_of(recipe.images), size=16)
    encoder = kzoo.layers.ImageTextEncoder(9, 1, 2, 8, 8, image_size=8, patch_size=4)
    with pytest.raises(ValueError, match="pictures of 8 × 8 pixels"):
        ImageTextClassifier(encoder, 2, images=settings)
    with pytest.raises(ValueError, match="Received: num_classes=1"):
        ImageTextClassifier(encoder, 1)
