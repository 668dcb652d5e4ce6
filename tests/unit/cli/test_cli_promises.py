"""What a run missed is said last; with --expect it is an error, too."""

import types
from pathlib import Path

import pytest


@pytest.fixture
def missing(fake, monkeypatch):
    """Let runs miss their accuracy."""
    expect = {
        "accuracy": {"at_least": 0.9, "value": 0.5, "reached": False},
        "loss": {"at_most": 0.9, "value": 0.5, "reached": True},
    }
    run = types.SimpleNamespace(folder=Path("there"), metrics={"expect": expect})
    many = types.SimpleNamespace(file="all.json", runs={1: run, 2: run}, summary={})
    monkeypatch.setattr(fake, "train", lambda *_, **__: run)
    monkeypatch.setattr(fake, "resume", lambda *_, **__: run, raising=False)
    monkeypatch.setattr(fake, "train_seeds", lambda *_, **__: many, raising=False)


SENTENCE = "there misses what its recipe promises: accuracy.\n"


@pytest.mark.parametrize("seeds", [[], ["--seeds", "1,2"]])
def test_a_missed_promise(kzoo, missing, seeds):
    runs = 2 if seeds else 1
    plain = kzoo("train", "text_classifier", *seeds)
    # A single run has said it itself, with its figures.
    warned = f"Warning: {SENTENCE}" * runs if seeds else ""
    assert (plain.exit_code, plain.stderr) == (0, warned)
    strict = kzoo("train", "text_classifier", "--expect", *seeds)
    assert (strict.exit_code, strict.stderr) == (1, f"Error: {SENTENCE}" * runs)
    assert plain.stdout == strict.stdout != ""


def test_a_missed_promise_of_a_resumed_run(kzoo, missing, run_folder):
    run_folder.joinpath("metrics.json").touch()
    recipe = kzoo("show", "text_classifier").stdout
    run_folder.joinpath("recipe.toml").write_text(recipe)
    result = kzoo("resume", run_folder, "--expect")
    assert (result.exit_code, result.stderr) == (1, f"Error: {SENTENCE}")


def test_kept_promises(kzoo, fake):
    result = kzoo("train", "text_classifier", "--expect")
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.parametrize(
    "options, sentence",
    [
        (["--set", "data.train=mine.csv"], "--expect needs a promise, and the recipe"),
        (["--dry-run"], "--dry-run measures nothing, so leave out --expect."),
    ],
)
def test_nothing_to_hold_a_run_to(kzoo, fake, options, sentence):
    result = kzoo("train", "text_classifier", "--expect", *options)
    assert (result.exit_code, fake.calls) == (2, [])
    assert result.stderr.startswith(f"Error: {sentence}")
