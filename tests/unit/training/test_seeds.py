"""Several seeds in one go: the runs, and what is said of all of them."""

import json
import statistics

import keras
import pytest
from helpers.toys import once, toy_recipe, write_rows
from kzoo_recipes import KzooError, load
from msgspec.structs import replace

from kzoo.training import train, train_seeds
from kzoo.training.seeds import summed_up

BACKEND = keras.backend.backend()

pytestmark = once


def test_runs_and_summary(tmp_path):
    recipe, runs = toy_recipe(tmp_path, training={"steps": 2}), tmp_path / "runs"
    said = []
    result = train_seeds(recipe, [5, 3], runs, progress=False, say=said.append)
    assert list(result.runs) == [5, 3]
    assert result.file == runs / f"toy-seeds-{BACKEND}.json"
    for seed, run in result.runs.items():
        assert run.folder == runs / f"toy-seed-{seed}" / BACKEND
        assert load(run.folder / "recipe.toml").seed == seed
    losses = [run.metrics["test"]["loss"] for run in result.runs.values()]
    assert losses[0] != losses[1]
    found = result.summary["test"]["loss"]
    assert found["mean"] == pytest.approx(statistics.fmean(losses))
    assert found["spread"] == pytest.approx(abs(losses[0] - losses[1]) / 2**0.5)
    assert (found["lowest"], found["highest"]) == (min(losses), max(losses))
    saved = json.loads(result.file.read_text())
    assert (saved["seeds"], saved["summary"]) == ([5, 3], result.summary)

    # Seed 3 alone is the run of seed 3 among others.
    alone = train(replace(recipe, seed=3, name="alone"), runs, progress=False)
    assert alone.metrics["test"] == result.runs[3].metrics["test"]

    # Called again, all is taken as it is, and one more seed is trained.
    said.clear()
    more = train_seeds(recipe, [5, 3, 4], runs, progress=False, say=said.append)
    assert more.runs[5].metrics == result.runs[5].metrics
    assert [line.split(": ")[1].split(" ")[0] for line in said] == [
        str(result.runs[5].folder),
        str(result.runs[3].folder),
        "trains",
    ]
    other = toy_recipe(tmp_path, training={"steps": 3})
    with pytest.raises(KzooError, match=r"with another training\.steps"):
        train_seeds(other, [5], runs, progress=False)
    other = toy_recipe(tmp_path, training={"steps": 2, "beta_1": 0.5})
    with pytest.raises(KzooError, match=r"another recipe \(training\.beta_1 was 0\.9"):
        train_seeds(other, [5], runs, progress=False)

    # Other rows in the same file, too, before a new seed is trained.
    write_rows(tmp_path / "dev.csv", 11, 8)
    with pytest.raises(KzooError) as raised:
        train_seeds(recipe, [6, 5], runs, progress=False)
    sentence = f"{result.runs[5].folder} cannot be taken as it is: {tmp_path}/dev.csv: "
    assert str(raised.value).startswith(sentence + "the rows of dev have changed")
    assert not (runs / "toy-seed-6").exists()


def test_an_interrupted_seed_is_resumed(tmp_path):
    recipe, runs = toy_recipe(tmp_path, training={"epochs": 2}), tmp_path / "runs"
    stop = keras.callbacks.LambdaCallback(
        on_epoch_begin=lambda epoch, logs: 1 // (1 - epoch)  # Fails in the second.
    )
    with pytest.raises(ZeroDivisionError):
        train_seeds(recipe, [1], runs, progress=False, callbacks=[stop])
    longer = toy_recipe(tmp_path, training={"epochs": 3})
    with pytest.raises(KzooError, match=r"with another training\.epochs"):
        train_seeds(longer, [1], runs, progress=False)
    said = []
    result = train_seeds(recipe, [1], runs, progress=False, say=said.append)
    assert said == [f"seed 1: resumes {result.runs[1].folder}"]
    assert result.runs[1].metrics["steps"] == 6


@pytest.mark.parametrize(
    "seeds, sentence",
    [
        ([], "there is no seed; name different ones, as in --seeds 1,2,3."),
        ([1, 2, 1], "seed 1 is named twice; name different ones"),
        ([-1], "seeds are whole numbers from 0 to 2147483647. Received: -1"),
        ([2**31], "seeds are whole numbers from 0 to 2147483647. Received: 2147483648"),
    ],
)
def test_seeds_that_are_none(tmp_path, seeds, sentence):
    with pytest.raises(KzooError) as raised:
        train_seeds(toy_recipe(tmp_path), seeds, tmp_path / "runs")
    assert sentence in str(raised.value)


def test_what_is_no_number_has_no_mean():
    runs = [
        {"dev": {"auc": value, "loss": 1.0}, "test": {"loss": 2, "labels": {}}}
        for value in (0.5, float("nan"))
    ]
    summary = summed_up(runs)
    assert set(summary["dev"]["auc"].values()) == {None}
    assert summary["test"] == {
        "loss": {"mean": 2.0, "spread": 0.0, "lowest": 2, "highest": 2}
    }
