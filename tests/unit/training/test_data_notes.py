"""A run says what a cheap look at its rows found."""

from helpers.toys import once
from kzoo_recipes import load

from kzoo.tasks import TASKS

pytestmark = once

TRAIN = "text,label\nOne,a\nTwo,b\none!,b\nThree,a\n"
DEV = "text,label\nFour,a\nFive,b\n"
TEST = "text,label\nTwo,b\nSix,a\n"


def test_faults_are_notes(tmp_path):
    for name, text in {"train": TRAIN, "dev": DEV, "test": TEST}.items():
        tmp_path.joinpath(f"{name}.csv").write_text(text)
    given = [f"data.{s}={tmp_path / s}.csv" for s in ("train", "dev", "test")]
    recipe = load("text_classifier", [*given, "tokenizer.min_frequency=1"])
    but = "but for case, spacing and punctuation"
    said = "(`kzoo check-data` lists them)"
    assert TASKS[recipe.task]().prepare(recipe).notes == [
        f"train: 1 text repeats an earlier one {but} {said}",
        f"test: 1 text is in train too {said}",
        f"train: 1 text has different labels {but} {said}",
    ]
