"""Texts with pictures from the shell: trained, asked, and refused in one sentence."""

import json

import pytest
from kzoo_recipes import to_toml

from tests.helpers.pictured_toys import toy_pictured
from tests.helpers.processes import run, succeeds
from tests.helpers.toys import QUICKEST


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictured")
    recipe = toy_pictured(folder, training={"epochs": 25})
    (folder / "mine.toml").write_text(to_toml(recipe))
    succeeds("kzoo", "train", "mine.toml", "--output", ".", "--force", cwd=folder,
             backend=QUICKEST)  # fmt: skip
    return folder


def test_rows_are_asked_and_broken_ones_counted(folder):
    (folder / "ask.csv").write_text(
        "image,text\ntest_pictures/0.png,red\nnone.png,red\ntest_pictures/0.png,blue\n"
    )
    told = run("kzoo", "predict", f"toy/{QUICKEST}", "--input", "ask.csv", "--json",
               cwd=folder)  # fmt: skip
    answers = [json.loads(line) for line in told.stdout.splitlines()]
    assert [(a["label"], a["line"]) for a in answers] == [("yes", 2), ("no", 4)]
    assert "ask.csv, line 3: none.png: there is no such file." in told.stderr


def test_a_broken_picture_is_one_sentence(folder):
    told = run(
        *("kzoo", "predict", f"toy/{QUICKEST}", "--image", "ask.csv", "red"),
        cwd=folder,
    )
    assert told.returncode == 2
    assert told.stderr.startswith("Error: ask.csv: this is not a picture that kzoo ")
    assert told.stderr.count("\n") == 1
    report = succeeds("kzoo", "check-data", "mine.toml", "--json", cwd=folder)
    assert json.loads(report)["splits"]["train"]["rows"] == 40
    broken = folder / "train_pictures" / "5.png"
    broken.write_bytes(b"")
    told = run("kzoo", "check-data", "mine.toml", cwd=folder)
    assert told.returncode == 2
    assert told.stderr.startswith(f"Error: {folder / 'train.csv'}, line 7: {broken}: ")
