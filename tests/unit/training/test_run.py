"""Whole runs on a few rows of toy text."""

import functools
import json

import keras
import numpy as np
import pytest
from helpers.toys import once, toy_recipe, write_rows
from keras import ops
from kzoo_recipes import KzooError, load

from kzoo.models import load_model
from kzoo.training import evaluate, progress, train
from kzoo.training.checkpoint import load as load_checkpoint


@pytest.fixture
def recipe(tmp_path):
    """`recipe(training={…}, data={…}, …)`: a tiny one, changed."""
    return functools.partial(toy_recipe, tmp_path)


def run(recipe, folder, **options):
    return train(recipe, folder, progress=False, **options)


def best_checkpoint(result):
    return result.folder / "checkpoints" / f"step-{result.metrics['best_step']:08}"


def test_a_run_folder_is_complete(recipe, tmp_path):
    result = run(recipe(), tmp_path / "runs")
    backend = keras.backend.backend()
    assert result.folder == tmp_path / "runs" / "toy" / backend
    assert sorted(p.name for p in result.folder.iterdir()) == [
        "checkpoints",
        "environment.json",
        "history.jsonl",
        "metrics.json",
        "model.keras",
        "recipe.toml",
    ]
    saved = json.loads((result.folder / "metrics.json").read_text())
    assert saved == {**result.metrics, "notes": saved["notes"]}
    assert result.metrics["steps"] == 9
    assert result.metrics["expect"]["accuracy"]["at_least"] == 0.8
    assert load(result.folder / "recipe.toml").backend == backend
    environment = json.loads((result.folder / "environment.json").read_text())
    assert environment["backend"] == backend
    best = best_checkpoint(result)
    assert best.name in [p.name for p in (result.folder / "checkpoints").iterdir()]
    assert environment["parts"][0]["from_step"] == 0

    again = evaluate(result.folder)
    assert again["accuracy"] == result.metrics["test"]["accuracy"]
    assert again["loss"] == pytest.approx(result.metrics["test"]["loss"], rel=1e-5)
    dev = evaluate(result.folder, split="dev")
    assert dev["loss"] == pytest.approx(result.metrics["dev"]["loss"], rel=1e-5)
    other = evaluate(result.folder, data=tmp_path / "dev.csv")
    assert other["loss"] == pytest.approx(dev["loss"], rel=1e-6)
    alone = evaluate(result.folder / "model.keras", data=tmp_path / "dev.csv")
    assert alone.pop("run") == f"{other.pop('run')}/model.keras"
    assert alone == other
    with pytest.raises(KzooError, match='no split "dv"; there are train, dev, test'):
        evaluate(result.folder, split="dv")


def test_the_same_seed_gives_equal_bits_and_another_does_not(recipe, tmp_path):
    def state(seed, name):
        small = recipe(seed=seed, name=name, training={"steps": 4, "batch_size": 16})
        return load_checkpoint(best_checkpoint(run(small, tmp_path)))[0]

    first, again, other = state(3, "a"), state(3, "b"), state(4, "c")
    assert first.keys() == again.keys() == other.keys()
    for name in first:
        np.testing.assert_array_equal(again[name], first[name], err_msg=name)
    kernels = [name for name in first if name.endswith("query/kernel")]
    assert not np.array_equal(first[kernels[0]], other[kernels[0]])


@once
def test_an_existing_run_is_kept_unless_forced(recipe, tmp_path):
    small = recipe(training={"steps": 1})
    folder = tmp_path / "toy" / keras.backend.backend()
    folder.mkdir(parents=True)
    (folder / "mine").write_text("1")
    (folder / "metrics.json").write_text("{}")
    with pytest.raises(KzooError, match=r"is there already.*--force"):
        run(small, tmp_path)
    with pytest.raises(KzooError, match="learning rate"):
        run(recipe(training={"learning_rate": 1e38}), tmp_path, force=True)
    left = {p.name for p in folder.parent.rglob("*")}
    assert left == {folder.name, "mine", "metrics.json"}
    run(small, tmp_path, force=True)
    assert not (folder / "mine").exists()


@once
def test_an_unknown_label_is_found_before_anything_is_written(recipe, tmp_path):
    odd = write_rows(tmp_path / "odd.csv", 3, labels=("good", "bad", "ood"))
    with pytest.raises(KzooError, match=r"odd\.csv.*4.*ood.*good"):
        run(recipe(data={"dev": odd}), tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


@once
def test_a_missed_promise_and_what_was_cut_are_said(recipe, tmp_path, capsys):
    strict = recipe(
        training={"steps": 1},
        data={"sequence_length": 6, "buckets": [4, 6], "dev": None},
        expect={"loss": {"at_most": 0.001}},
    )
    result = train(strict, tmp_path)
    promise = result.metrics["expect"]["loss"]
    assert not promise["reached"]
    assert promise["at_most"] == 0.001
    said = capsys.readouterr().err
    assert "[expect] loss: the recipe promises at most 0.001" in said
    assert ") are longer than 6 tokens and were cut\n" in said
    assert "dev split off train by a hash of the text: train " in said


def test_another_backend_than_the_running_one_is_refused(recipe, tmp_path):
    other = "torch" if keras.backend.backend() != "torch" else "jax"
    with pytest.raises(KzooError, match=f"KERAS_BACKEND={other}"):
        run(recipe(), tmp_path, backend=other)


def test_a_first_step_that_takes_long_is_explained_once(
    recipe, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    train(recipe(training={"steps": 3}), tmp_path)
    said = capsys.readouterr().err.count("compiling the first step")
    assert said == (keras.backend.backend() != "torch")


def test_bfloat16_and_learned_positions(recipe, tmp_path):
    encoder = {
        "num_layers": 1,
        "num_heads": 2,
        "hidden_dim": 8,
        "intermediate_dim": 8,
        "position": "learned",
    }
    small = recipe(
        model={"encoder": encoder},
        training={"steps": 2, "precision": "mixed_bfloat16"},
    )
    result = run(small, tmp_path)
    state, _ = load_checkpoint(best_checkpoint(result))
    tables = [v for k, v in state.items() if k.endswith("position/embeddings")]
    assert tables[0].shape == (12, 8)
    assert tables[0].dtype == "float32"
    assert keras.config.dtype_policy().name == "float32"  # Put back afterwards.


def test_the_saved_model_is_the_average_of_what_was_trained(recipe, tmp_path):
    """Parts, average and freezing through a whole run, to the file and the report."""
    settings = {"steps": 4, "accumulation": 2, "ema_decay": 0.9, "freeze": ["encoder"]}
    result = run(recipe(training=settings), tmp_path)
    state, _ = load_checkpoint(best_checkpoint(result))
    model = load_model(result.folder / "model.keras")
    kernel = ops.convert_to_numpy(model.get_layer("logits").kernel)
    np.testing.assert_array_equal(kernel, state["ema/logits/kernel"])
    assert not np.array_equal(kernel, state["logits/kernel"])
    averaged = {n: v for n, v in state.items() if n.startswith("ema/")}
    assert not [name for name in averaged if "encoder" in name]
    trained = sum(value.size for value in averaged.values())
    assert result.metrics["trained_parameters"] == trained
    notes = json.loads((result.folder / "metrics.json").read_text())["notes"]
    total = f"{result.metrics['parameters']:,}"
    sentence = f"frozen: encoder; {trained:,} of {total} parameters are trained"
    assert sentence in notes
    again = evaluate(result.folder)
    assert again["loss"] == pytest.approx(result.metrics["test"]["loss"], rel=1e-5)


@once
def test_an_unknown_part_is_refused_before_anything_is_written(recipe, tmp_path):
    frozen = recipe(training={"freeze": ["encoder.blok_0"]})
    with pytest.raises(KzooError, match=r'did you mean "encoder\.block_0"'):
        run(frozen, tmp_path / "runs")
    assert not (tmp_path / "runs").exists()
