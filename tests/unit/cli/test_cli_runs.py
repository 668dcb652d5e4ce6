"""train, evaluate and predict: what reaches kzoo, what is printed, on which backend."""

import importlib
import json
import os
import sys
import types
from pathlib import Path

import pytest
from kzoo_cli import backend as backends
from kzoo_cli import installed
from kzoo_cli.at_once import look_for_files
from kzoo_recipes import KzooError, load, to_toml
from msgspec.structs import replace

METRICS = {
    "accuracy": 0.9375,
    "loss": None,  # nan, which JSON does not know
    "per_class": {"positive": {"f1": 0.5}},
}


def test_train(kzoo, fake):
    result = kzoo("train", "text_classifier", "--backend", "torch")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "test accuracy  0.9375\n"
        "test loss      -\n"
        "seconds        61.2\n"
        "Saved saved_models/text_classifier/torch\n"
    )
    recipe = replace(load("text_classifier"), backend="torch")
    output = Path("saved_models")
    assert fake.calls == [(recipe, {"output": output, "force": False})]
    assert os.environ["KERAS_BACKEND"] == "torch"


@pytest.mark.parametrize("stopped, line", [(None, ""), ("patience", "  patience\n")])
def test_numbers_of_a_run(kzoo, fake, monkeypatch, stopped, line):
    metrics = {
        **{"best_step": 1020, "stopped": stopped, "parameters": 572227},
        "groups": [{"parts": ["encoder"]}],
        **{"seconds": 5.25, "examples_per_second": 12345.678},
    }
    run = types.SimpleNamespace(folder=Path("there"), metrics=metrics)
    monkeypatch.setattr(fake, "train", lambda recipe, **arguments: run)
    assert kzoo("train", "text_classifier").stdout == (
        "best_step            1,020\n"
        + (f"stopped            {line}" if line else "")
        + "parameters           572,227\n"
        "seconds              5.2\n"
        "examples_per_second  12,345.7\n"
        "Saved there\n"
    )


def test_train_json(kzoo, fake):
    result = kzoo("train", "text_classifier", "--json", "--output", "runs", "--force")
    assert json.loads(result.stdout) == {
        "folder": "runs/text_classifier/jax",
        "metrics": {"test": METRICS, "seconds": 61.25},
    }
    assert fake.calls[0][1] == {"output": Path("runs"), "force": True}


@pytest.mark.parametrize(
    "recipe, option, sentence",
    [
        ("sst2", "data.train=my.csv", "there is no such data file"),
        ("sst2", 'data.train=["here.csv", "my.csv"]', "there is no such data file"),
        ("sst2_minilm", "model.pretrained=bert", "there is no such folder; a "),
    ],
)
def test_files_are_missed_before_keras_starts(kzoo, recipe, option, sentence):
    Path("here.csv").touch()
    result = kzoo("train", recipe, "--set", option)
    assert (result.exit_code, result.stdout) == (2, "")
    named = Path.cwd() / ("bert" if "bert" in option else "my.csv")
    assert result.stderr.startswith(f"Error: {named}: {sentence}")
    assert "keras" not in sys.modules


def test_parity_misses_files_before_keras_starts(kzoo):
    result = kzoo("parity", "sst2", "--set", "data.train=my.csv")
    assert (result.exit_code, result.stdout) == (2, "")
    missing = Path.cwd() / "my.csv"
    assert result.stderr.startswith(f"Error: {missing}: there is no such data file")


def test_resume_misses_rows_and_no_checkpoint(kzoo, fake):
    folder = Path("runs", "sst2_minilm", "torch")
    folder.mkdir(parents=True)
    rows, gone = Path.cwd() / "rows.csv", Path.cwd() / "gone"
    recipe = load(
        "sst2_minilm", [f"data.train={rows}", f"model.pretrained={gone}", "seed=3"]
    )
    (folder / "recipe.toml").write_text(to_toml(recipe))
    (folder / "metrics.json").write_text("{}")
    longer = ("resume", str(folder), "--set", "training.epochs=9")
    result = kzoo(*longer)
    assert (result.exit_code, result.stdout, fake.calls) == (2, "", [])
    assert result.stderr.startswith(f"Error: {rows}: there is no such data file")
    rows.touch()
    look_for_files(recipe, checkpoint=False)
    with pytest.raises(KzooError, match="gone: there is no such folder"):
        look_for_files(recipe)


def test_a_run_that_is_there_is_seen_before_keras_starts(kzoo):
    folder = Path("runs", "sst2", "torch")
    folder.mkdir(parents=True)
    result = kzoo("train", "sst2", "--backend", "torch", "--output", "runs")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {folder} is there already: give the run a")
    assert "keras" not in sys.modules


@pytest.mark.parametrize(
    "value", ["later-*.csv", "hf:org/rows", '["here.csv", "here.csv"]']
)
def test_patterns_and_the_hub_are_left_to_training(kzoo, fake, value):
    Path("here.csv").touch()
    result = kzoo("train", "sst2", "--set", f"data.train={value}")
    assert (result.exit_code, len(fake.calls)) == (0, 1)


def test_train_overrides(kzoo, fake):
    Path("my file.csv").touch()
    options = ["--set", "seed=1", "--set", "data.train=my file.csv"]
    assert kzoo("train", "text_classifier", *options).exit_code == 0
    recipe, _ = fake.calls[0]
    assert recipe.seed == 1
    assert recipe.data.source is None
    assert recipe.data.train == str(Path.cwd() / "my file.csv")


@pytest.mark.parametrize(
    "option, environment, override, chosen",
    [
        (None, "", None, "jax"),  # the recipe's
        (None, "", "torch", "torch"),
        (None, "tensorflow", None, "tensorflow"),
        (None, "tensorflow", "torch", "torch"),  # typed, so not overruled unseen
        ("jax", "tensorflow", None, "jax"),
        ("jax", "tensorflow", "torch", "jax"),
    ],
)
def test_backend_of_train(
    kzoo, fake, monkeypatch, option, environment, override, chosen
):
    monkeypatch.setenv("KERAS_BACKEND", environment)
    arguments = ["--backend", option] if option else []
    arguments += ["--set", f"backend={override}"] if override else []
    result = kzoo("train", "text_classifier", *arguments)
    assert result.exit_code == 0, result.output
    assert fake.calls[0][0].backend == os.environ["KERAS_BACKEND"] == chosen


def test_backend_that_is_not_installed(kzoo, fake, monkeypatch):
    there = {"torch": object()}
    monkeypatch.setattr(installed, "find_spec", there.get)
    for asked in (["--backend", "jax"], ["--set", "backend=jax"]):
        result = kzoo("train", "text_classifier", *asked)
        assert result.exit_code == 2
        assert result.stderr == (
            "Error: the backend jax is not installed, but torch is; "
            '`pip install "kzoo[jax]"` brings jax.\n'
        )
    there["tensorflow"] = object()
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    result = kzoo("evaluate", "zoo:text_classifier")
    assert (result.exit_code, fake.calls) == (2, [])
    assert "not installed, but tensorflow and torch are; " in result.stderr


@pytest.mark.parametrize("options", [[], ["--dry-run", "--json"], ["--json"]])
def test_backend_of_the_recipe_is_not_installed(kzoo, fake, monkeypatch, options):
    there = {"torch": object(), "tensorflow": object()}
    monkeypatch.setattr(installed, "find_spec", there.get)
    result = kzoo("train", "text_classifier", *options)
    assert result.exit_code == 0
    assert result.stderr == (
        "jax, the recipe's backend, is not installed: running on tensorflow.\n"
    )
    assert fake.calls[0][0].backend == os.environ["KERAS_BACKEND"] == "tensorflow"


def test_backend_that_comes_too_late(kzoo, fake, monkeypatch):
    keras = types.ModuleType("keras")
    keras.config = types.SimpleNamespace(backend=lambda: "torch")
    monkeypatch.setitem(sys.modules, "keras", keras)
    result = kzoo("train", "text_classifier")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: Keras already runs on torch in this process; start a new one for jax.\n"
    )


@pytest.mark.parametrize("command", ["evaluate", "predict"])
@pytest.mark.parametrize(
    "run, sentence",
    [
        (
            "none",
            "none: there is no such run or model; name a run's folder, a .keras file, "
            "zoo:summarizer, zoo:text_classifier, zoo:token_tagger, or a recipe that "
            "was trained.",
        ),
        (
            "runs/reviews/tensorflow",
            "runs/reviews/tensorflow: there is no such run or model; did you mean "
            "runs/reviews/jax or runs/reviews/torch?",
        ),
        (
            "runs/reviews/tf/model.keras",
            "runs/reviews/tf/model.keras: there is no such run or model; did you mean "
            "runs/reviews/jax or runs/reviews/torch?",
        ),
        (
            "runs/review/jax",
            "runs/review/jax: there is no such run or model; did you mean "
            "runs/reviews/jax or runs/reviews/torch?",
        ),
        (
            "runs/reviewz",
            "runs/reviewz: there is no such run or model; did you mean "
            "runs/reviews/jax or runs/reviews/torch?",
        ),
        ("runs", "runs holds no model.keras."),
        (
            "runs/reviews",
            "runs/reviews holds 2 runs: name one of runs/reviews/jax, "
            "runs/reviews/torch.",
        ),
    ],
)
def test_run_that_is_not_there(kzoo, fake, run_folder, command, run, sentence):
    text = ["text"] if command == "predict" else []
    run_folder.with_name("jax").mkdir()
    run_folder.with_name("jax").joinpath("model.keras").touch()
    result = kzoo(command, run, *text)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {sentence}\n"
    assert fake.calls == []


@pytest.mark.parametrize("command", ["evaluate", "predict"])
@pytest.mark.parametrize(
    "run, what",
    [("bert", "holds no model.keras"), ("hf:a/bert", "is no model of kzoo")],
)
def test_a_checkpoint_is_no_run(kzoo, fake, command, run, what):
    Path("bert").mkdir()
    Path("bert", "config.json").write_text("{}")
    text = ["text"] if command == "predict" else []
    result = kzoo(command, run, *text)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"Error: {run} {what}; it is read by kzoo.from_hugging_face in Python, and by "
        "a recipe whose [model] pretrained names it.\n"
    )
    assert fake.calls == []


def test_a_recipe_misspelt(kzoo, fake, run_folder):
    run_folder.parents[1].rename("saved_models")
    for command in ("evaluate", "resume"):
        run_folder = Path("saved_models/reviews/torch")
        run_folder.joinpath("metrics.json").touch()
        result = kzoo(command, "reveiws")
        assert result.exit_code == 2
        assert result.stderr.endswith("; did you mean saved_models/reviews/torch?\n")
        result = kzoo(command, "saved_models/reviews/jax")
        assert result.stderr.endswith("; did you mean saved_models/reviews/torch?\n")


@pytest.mark.parametrize("run", ["runs/reviews", "reviews"])
def test_the_only_run_of_a_recipe(kzoo, fake, run_folder, run):
    run_folder.parents[1].rename("saved_models" if run == "reviews" else "runs")
    assert kzoo("evaluate", run).exit_code == 0
    folder = "saved_models/reviews" if run == "reviews" else run
    assert str(fake.calls[0][0]) == f"{folder}/torch"


def test_backend_of_a_model_without_its_recipe(kzoo, fake, run_folder, monkeypatch):
    run_folder.joinpath("recipe.toml").unlink()
    kzoo("evaluate", run_folder / "model.keras")
    assert os.environ["KERAS_BACKEND"] == "jax"  # the first that is installed


def test_backend_of_a_run_from_elsewhere(kzoo, fake, run_folder, monkeypatch):
    there = {"tensorflow": object()}
    monkeypatch.setattr(installed, "find_spec", there.get)
    result = kzoo("evaluate", run_folder)
    assert result.exit_code == 0
    assert result.stderr.startswith(
        "torch, the run's backend, is not installed: running on tensorflow.\n"
    )
    assert os.environ["KERAS_BACKEND"] == "tensorflow"


def test_no_backend_at_all(kzoo, fake, monkeypatch):
    monkeypatch.setattr(installed, "find_spec", lambda name: None)
    result = kzoo("evaluate", "zoo:text_classifier")
    assert result.exit_code == 2
    assert result.stderr == (
        'Error: no backend is installed; `pip install "kzoo[jax]"` (or tensorflow, or '
        "torch) brings one.\n"
    )


def test_tensorflow_is_hidden_on_other_backends(kzoo, fake):
    kzoo("evaluate", "zoo:text_classifier", "--backend", "jax")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("tensorflow")


def test_tensorflow_is_there_on_its_own_backend(kzoo, fake):
    kzoo("evaluate", "zoo:text_classifier", "--backend", "tensorflow")
    assert "tensorflow" not in sys.modules  # Not imported yet, but it can be.


def test_noise_of_the_framework_is_held_back(capfd):
    with backends._quiet():
        os.write(2, b"I0000 port.cc: greetings\n")
    assert capfd.readouterr().err == ""


def test_noise_is_shown_with_an_error(capfd):
    with pytest.raises(ImportError), backends._quiet():
        os.write(2, b"libcuda is missing\n")
        raise ImportError("no framework")
    assert capfd.readouterr().err == "libcuda is missing\n"
