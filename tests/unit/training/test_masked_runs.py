"""Masked language modelling, from texts to a measured model, and a resumed run."""

import dataclasses
import json
import math

import numpy as np
import pytest
from kzoo_recipes import KzooError, load

import kzoo
from kzoo.tasks import MaskedLanguageModelling
from kzoo.text.masking import FIXED, Masker, Masking
from kzoo.training import dry_run, train
from kzoo.training.setup import set_up
from tests.helpers.interrupted import assert_equal_bits, records, whole_and_resumed
from tests.helpers.layers import array
from tests.helpers.masked_toys import toy_masked, write_texts
from tests.helpers.probed import compared_with_itself
from tests.helpers.toys import once

TASK = MaskedLanguageModelling()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A short run of the toy recipe."""
    folder = tmp_path_factory.mktemp("run")
    recipe = toy_masked(folder, training={"epochs": 12})
    return train(recipe, folder, progress=False)


def test_what_is_learnt_shows_on_dev(run):
    metrics = run.metrics["test"]
    assert metrics["perplexity"] == pytest.approx(math.exp(metrics["loss"]))
    assert metrics["accuracy"] > 0.6, "half of the words say the next one"
    assert metrics["loss"] < math.log(10)
    model = kzoo.load_model(run.folder)
    [mask] = model.fill("near over the cat [MASK] hill tower river", top_k=2)
    assert mask["candidates"][0]["text"] == "near over the cat dog hill tower river"
    assert model.masking == dataclasses.asdict(Masking())


@once
def test_the_figures_are_those_of_a_plain_look(run):
    """Each hidden token scored by hand, one window at a time, in float64."""
    model, recipe = kzoo.load_model(run.folder), load(run.folder / "recipe.toml")
    prepared = TASK.prepare(recipe)
    masker = Masker(Masking(), model.tokenizer)
    surprises, right = [], []
    rows = prepared.splits["test"]
    longest = max(map(len, rows.token_ids))  # One shape is compiled once.
    for row, (ids, words) in enumerate(zip(rows.token_ids, rows.word_of, strict=True)):
        read, places = masker.hide(ids, words, 0, FIXED, row)
        every = np.arange(longest, dtype="int32")
        inputs = {
            "token_ids": np.pad(read, (0, longest - len(ids)))[None],
            "padding_mask": (every < len(ids))[None],
            "places": every[None],
        }
        logits = array(model(inputs, training=False))[0].astype("float64")
        chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        surprises += [-math.log(chances[place, ids[place]]) for place in places]
        right += [int(logits[place].argmax()) == ids[place] for place in places]
    figures = kzoo.evaluate(run.folder, resamples=20)
    assert figures["tokens"] == len(surprises) and figures["rows"] == len(rows)
    for found in (figures, run.metrics["test"]):
        assert found["loss"] == pytest.approx(np.mean(surprises), rel=1e-5)
        assert found["accuracy"] == pytest.approx(np.mean(right))
    low, high = figures["intervals"]["perplexity"]
    assert low < figures["perplexity"] < high
    kinds = figures["kinds"].values()
    assert sum(one["tokens"] for one in kinds) == len(surprises)
    total = sum(one["tokens"] * one["loss"] for one in kinds if one["tokens"])
    assert total == pytest.approx(sum(surprises), rel=1e-5)
    worst = [one["tokens"] * one["loss"] for one in figures["worst"]]
    assert worst == sorted(worst, reverse=True)
    assert json.dumps(figures)


@once
def test_files_of_others_are_measured(run, tmp_path):
    write_texts(tmp_path / "more.txt", 5, 9)
    figures = kzoo.evaluate(run.folder, data=tmp_path / "more.txt", resamples=0)
    assert (figures["texts"], figures["intervals"]) == (5, {})
    assert figures["worst"] and figures["source"].endswith("more.txt")


@once
def test_two_runs_are_compared_on_the_same_hidden_tokens(run, tmp_path):
    recipe = load(run.folder / "recipe.toml", ["training.epochs=1", "seed=4"])
    other = train(recipe, tmp_path, progress=False)
    figures = kzoo.compare(other.folder, run.folder, resamples=50)
    loss = figures["metrics"]["loss"]
    assert loss["difference"] < 0 and loss["interval"][1] < 0
    assert loss["second"] == pytest.approx(run.metrics["test"]["loss"], rel=1e-6)
    assert figures["mcnemar"]["only_second"] > figures["mcnemar"]["only_first"]
    words = load(run.folder / "recipe.toml", ["masking.share=0.3", "training.steps=1"])
    third = train(words, tmp_path / "third", progress=False)
    with pytest.raises(KzooError, match="their masking differ"):
        kzoo.compare(run.folder, third.folder)


@once
def test_notes_say_how_texts_became_windows(tmp_path):
    recipe = toy_masked(tmp_path)
    with open(tmp_path / "train.txt", "a") as file:
        file.write("\n" + "cat dog " * 20 + "\n")
    prepared = TASK.prepare(recipe)
    windows = len(prepared.splits["train"])
    assert "train: 1 blank text was left out (line 61)" in prepared.notes
    note = f"train: 61 texts packed into {windows} windows of at most 16 tokens"
    assert note in prepared.notes
    alone = TASK.prepare(toy_masked(tmp_path / ".", data={"pack": False}))
    assert len(alone.splits["train"]) == 60
    assert all(len(ids) <= 16 for ids in alone.splits["train"].token_ids)


@once
def test_a_text_beyond_a_window_is_counted_when_it_stands_alone(tmp_path):
    recipe = toy_masked(tmp_path, data={"pack": False})
    with open(tmp_path / "train.txt", "a") as file:
        file.write("cat dog " * 20 + "\n")
    notes = TASK.prepare(recipe).notes
    assert "train: 61 texts cut into 63 windows of at most 16 tokens" in notes
    assert "train: 1 text of these goes over several windows" in notes


@once
def test_texts_without_a_known_token_are_refused_or_counted(tmp_path):
    recipe = toy_masked(tmp_path, data={"pack": False})
    (tmp_path / "dev.txt").write_text("zebra\ncat dog hill\n")
    assert (
        "dev: 1 window without a known token was left out" in TASK.prepare(recipe).notes
    )
    (tmp_path / "dev.txt").write_text("zebra\n")
    with pytest.raises(KzooError, match=r"dev\.txt: no text of dev has a token"):
        TASK.prepare(recipe)


@once
def test_a_tokenizer_that_hides_nothing_is_refused(tmp_path):
    recipe = toy_masked(tmp_path)
    written = TASK.prepare(recipe).tokenizer.to_json()
    file = tmp_path / "tokenizer.json"
    file.write_text(written.replace("[MASK]", "[HIDE]"))
    other = toy_masked(tmp_path, tokenizer={"file": str(file)})
    with pytest.raises(KzooError, match=r"tokenizer\.json: the tokenizer has no token"):
        TASK.prepare(other)


@once
def test_resumed_it_ends_in_the_same_bits(tmp_path):
    every = {"steps": 7, "accumulation": 2, "checkpoint_every": 3, "log_every": 1}
    masking = {"whole_words": True}
    recipe = toy_masked(tmp_path, training=every, masking=masking)
    whole, again = whole_and_resumed(recipe, tmp_path)
    assert_equal_bits(whole, again, step=7)
    assert records(again.folder) == records(whole.folder)
    dry = dry_run(recipe, tmp_path)
    assert dry["step"]["loss"] == pytest.approx(records(whole.folder)[0]["loss"], 1e-4)
    assert dry["tokens"]["places"] == 2 and dry["memory"]["activations"] > 0


@once
def test_all_of_it_is_compared_by_parity(tmp_path):
    compared_with_itself(toy_masked(tmp_path), tmp_path)


@once
def test_the_shipped_recipe_can_be_set_up():
    setup = set_up(load("masked_lm", ["training.epochs=1"]))
    assert setup.model.masking["whole_words"]
    assert setup.total_steps == len(setup.batches) > 20
