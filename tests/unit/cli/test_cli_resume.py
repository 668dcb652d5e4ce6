"""`kzoo resume`: what reaches kzoo, on which backend, and how it ends."""

import json
import os
import signal
import types
from pathlib import Path

import pytest
from kzoo_recipes import Terminated, load, to_toml
from msgspec.structs import replace


@pytest.fixture
def interrupted(tmp_path):
    """A run that began on torch."""
    folder = tmp_path / "saved_models" / "reviews" / ".torch.running"
    folder.mkdir(parents=True)
    recipe = replace(load("text_classifier"), backend="torch", name="reviews")
    (folder / "recipe.toml").write_text(to_toml(recipe))
    return Path("saved_models/reviews/torch")


@pytest.fixture
def resumed(fake, monkeypatch):
    """What was asked of kzoo."""

    def resume(run, **arguments):
        fake.calls.append((run, arguments))
        metrics = {"test": {"accuracy": 0.5}, "seconds": 2.5}
        return types.SimpleNamespace(folder=run, metrics=metrics)

    monkeypatch.setattr(fake, "resume", resume, raising=False)
    return fake.calls


@pytest.mark.parametrize("run", ["reviews", "saved_models/reviews/torch"])
def test_resume(kzoo, resumed, interrupted, run):
    result = kzoo("resume", run)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith("Saved saved_models/reviews/torch\n")
    asked = {"recipe": None, "overrides": (), "output": Path("saved_models")}
    assert resumed == [(interrupted, asked)]
    assert os.environ["KERAS_BACKEND"] == "torch"  # the run's


def test_resume_elsewhere_with_changes(kzoo, resumed, interrupted):
    options = ["--backend", "jax", "--set", "training.epochs=9", "--json"]
    result = kzoo("resume", "reviews", *options)
    assert json.loads(result.stdout)["metrics"]["seconds"] == 2.5
    assert resumed[0][1]["overrides"] == ("training.epochs=9",)
    assert os.environ["KERAS_BACKEND"] == "jax"


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["nothing"], "nothing: there is no such run"),
        (["reviews", "--set", "training.epoch=9"], 'did you mean "epochs"?'),
        (["reviews", "--recipe", "none.toml"], "none.toml: there is no such file"),
    ],
)
def test_mistakes_need_no_keras(kzoo, resumed, interrupted, arguments, sentence):
    result = kzoo("resume", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr
    assert resumed == []


@pytest.mark.parametrize(
    "error, code",
    [(KeyboardInterrupt("saved; go on"), 130), (Terminated("saved; go on"), 143)],
)
@pytest.mark.parametrize("command", ["train text_classifier", "resume reviews"])
def test_an_interrupted_run_says_how_to_go_on(
    kzoo, fake, interrupted, monkeypatch, command, error, code
):
    def ends(*_, **__):
        raise error

    for name in ("train", "resume"):
        monkeypatch.setattr(fake, name, ends, raising=False)
    result = kzoo(*command.split())
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.strip() == "Error: saved; go on"
    assert code - 128 in (signal.SIGINT, signal.SIGTERM)


def test_train_several_seeds(kzoo, fake, monkeypatch):
    numbers = {"mean": 0.5, "spread": None, "lowest": 0.25, "highest": 0.75}
    summary = {"test": {"accuracy": numbers}}

    def train_seeds(recipe, seeds, say, **arguments):
        fake.calls.append((recipe.name, seeds, arguments))
        say("seed 1: trains")
        run = types.SimpleNamespace(folder=Path("runs/a"), metrics={})
        return types.SimpleNamespace(
            file=Path("runs/a.json"), runs={1: run, 2: run}, summary=summary
        )

    monkeypatch.setattr(fake, "train_seeds", train_seeds, raising=False)
    result = kzoo("train", "text_classifier", "--seeds", "1,2")
    assert (result.exit_code, result.stderr) == (0, "seed 1: trains\n")
    assert result.stdout == (
        "               mean    spread  lowest  highest\n"
        "test accuracy  0.5000  -       0.2500  0.7500\n"
        "Summary of 2 runs: runs/a.json\n"
    )
    asked = {"output": Path("saved_models"), "force": False}
    assert fake.calls == [("text_classifier", [1, 2], asked)]
    result = kzoo("train", "text_classifier", "--seeds", "1, 2", "--json")
    assert json.loads(result.stdout)["summary"] == summary


def test_a_dry_run_of_seeds_is_refused(kzoo, fake):
    result = kzoo("train", "text_classifier", "--seeds", "1,2", "--dry-run")
    assert result.exit_code == 2
    assert "--dry-run and --seeds exclude each other; use one." in result.stderr
    assert fake.calls == []


def test_seeds_that_are_no_numbers(kzoo, fake):
    result = kzoo("train", "text_classifier", "--seeds", "1;2")
    assert result.exit_code == 2
    assert "write whole numbers with commas between them, as in 1,2,3" in result.stderr
    assert fake.calls == []
