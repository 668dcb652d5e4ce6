"""Span corruption, from texts to a measured model that fills blanks, and resumed."""

import json
import math

import numpy as np
import pytest
from kzoo_recipes import KzooError, load

import kzoo
from kzoo.tasks import SpanCorruption
from kzoo.text.masking import FIXED
from kzoo.text.spans import Corrupter, Corruption
from kzoo.training import dry_run, train
from kzoo.training.setup import set_up
from tests.helpers.interrupted import assert_equal_bits, records, whole_and_resumed
from tests.helpers.layers import array
from tests.helpers.masked_toys import toy_spans
from tests.helpers.probed import compared_with_itself
from tests.helpers.toys import once

TASK = SpanCorruption()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A short run of the toy recipe."""
    folder = tmp_path_factory.mktemp("run")
    recipe = toy_spans(folder, training={"epochs": 16})
    return train(recipe, folder, progress=False)


def test_what_is_learnt_shows_on_dev_and_in_blanks(run):
    metrics = run.metrics["test"]
    assert metrics["perplexity"] == pytest.approx(math.exp(metrics["loss"]))
    assert metrics["loss"] < 2.5, "most is sentinels, and the end; of all: 4.8"
    model = kzoo.load_model(run.folder)
    assert model.corruption == {"share": 0.15, "span_length": 3.0}
    assert (model.source_length, model.target_length) == (16, 2 + 1 + 2)
    [best, *_] = model.fill("near over the cat [MASK] hill tower river", nbest=2)
    assert best["text"].startswith("near over the cat ")
    assert best["text"].endswith(" hill tower river")
    assert best["spans"][0] in best["text"] and best["score"] <= 0
    both = "near [MASK] the cat <extra_id_7> hill tower river"
    assert len(model.fill(both)[0]["spans"]) == 2
    [none, long] = model.fillings(["no blank here", "cat " * 20 + "[MASK]"])
    assert none == {"blanks": 0, "truncated": False, "candidates": []}
    assert long["truncated"] and long["candidates"][0]["spans"] == [None]
    assert long["candidates"][0]["text"].endswith("[MASK]")
    with pytest.raises(KzooError, match=r"Text 0 has 101 blanks, .* for 100"):
        model.fill("[MASK] " * 101)


@once
def test_the_figures_are_those_of_a_plain_look(run):
    """Each target scored by hand, one window at a time, in float64."""
    model, recipe = kzoo.load_model(run.folder), load(run.folder / "recipe.toml")
    rows = TASK.prepare(recipe).splits["test"]
    corrupter = Corrupter(Corruption(), model.tokenizer, model.end_id)
    surprises, right, marks = [], [], 0
    for row, ids in enumerate(rows.token_ids):
        source, target = corrupter.corrupt(ids, 0, FIXED, row)
        given = np.array([model.start_id, *target[:-1]], "int32")
        inputs = {}  # Padded, as one shape is compiled once.
        for part, tokens, length in (
            ("encoder", source, model.source_length),
            ("decoder", given, model.target_length),
        ):
            padded = np.pad(tokens, (0, length - len(tokens)))[None]
            inputs[f"{part}_token_ids"] = padded
            inputs[f"{part}_padding_mask"] = np.arange(length)[None] < len(tokens)
        logits = array(model(inputs, training=False))[0, : len(given)]
        logits = logits.astype("float64")
        chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        surprises += [-math.log(chances[at, token]) for at, token in enumerate(target)]
        right += (logits.argmax(axis=1) == target).tolist()
        marks += np.isin(target, [model.end_id, *model.tokenizer.sentinels]).sum()
    figures = kzoo.evaluate(run.folder, resamples=20)
    assert figures["task"] == "span_corruption"
    assert figures["tokens"] == len(surprises) and figures["rows"] == len(rows)
    assert figures["kinds"]["mark"]["tokens"] == marks
    assert figures["kinds"]["text"]["tokens"] == len(surprises) - marks
    for found in (figures, run.metrics["test"]):
        assert found["loss"] == pytest.approx(np.mean(surprises), rel=1e-5)
        assert found["accuracy"] == pytest.approx(np.mean(right))
    low, high = figures["intervals"]["perplexity"]
    assert low < figures["perplexity"] < high
    assert json.dumps(figures)


@once
def test_two_runs_are_compared_on_the_same_spans(run, tmp_path):
    recipe = load(run.folder / "recipe.toml", ["training.steps=1", "seed=4"])
    other = train(recipe, tmp_path, progress=False)
    figures = kzoo.compare(other.folder, run.folder, resamples=50)
    assert figures["metrics"]["loss"]["difference"] < 0
    longer = load(
        run.folder / "recipe.toml", ["corruption.span_length=1", "training.steps=1"]
    )
    third = train(longer, tmp_path / "third", progress=False)
    with pytest.raises(KzooError, match="their corruption differ"):
        kzoo.compare(run.folder, third.folder)


@once
def test_windows_that_cannot_lose_anything_are_counted_or_refused(tmp_path):
    recipe = toy_spans(tmp_path, data={"pack": False})
    tmp_path.joinpath("dev.txt").write_text("cat\ncat dog\nthe <extra_id_3> dog\n")
    prepared = TASK.prepare(recipe)
    assert len(prepared.splits["dev"]) == 1
    assert "dev: 1 window of a single token was left out" in prepared.notes
    sentence = "dev: 1 window with a sentinel such as <extra_id_0> in the text was"
    assert any(note.startswith(sentence) for note in prepared.notes)
    tmp_path.joinpath("dev.txt").write_text("cat\n")
    with pytest.raises(KzooError, match=r"dev\.txt: no text of dev has the 2 tokens"):
        TASK.prepare(recipe)


@once
def test_packed_texts_follow_each_other_with_nothing_between(tmp_path):
    prepared = TASK.prepare(toy_spans(tmp_path))
    for ids in prepared.splits["train"].token_ids:
        assert (ids == prepared.end_id).sum() == 1


@once
def test_tokenizers_without_sentinels_enough_are_refused(tmp_path):
    recipe = toy_spans(tmp_path)
    written = TASK.prepare(recipe).tokenizer.to_json()
    file = tmp_path / "tokenizer.json"
    other = toy_spans(tmp_path, tokenizer={"file": str(file)})
    file.write_text(written.replace("<extra_id_0>", "<extra_id_x>"))
    with pytest.raises(KzooError, match=r"tokenizer\.json: .* has no sentinels <extra"):
        TASK.prepare(other)
    file.write_text(written.replace("<extra_id_1>", "<extra_id_x>"))
    with pytest.raises(KzooError, match=r"has 1 sentinels, and windows .* need 2"):
        TASK.prepare(other)


@once
def test_interrupted_and_resumed_it_ends_in_the_same_bits(tmp_path):
    every = {"steps": 7, "accumulation": 2, "checkpoint_every": 3, "log_every": 1}
    recipe = toy_spans(tmp_path, family=None, training=every)
    whole, again = whole_and_resumed(recipe, tmp_path)
    assert_equal_bits(whole, again, step=7)
    assert records(again.folder) == records(whole.folder)
    dry = dry_run(recipe, tmp_path)
    assert dry["step"]["loss"] == pytest.approx(records(whole.folder)[0]["loss"], 1e-4)
    assert dry["tokens"]["longest_target"] == 5 and dry["memory"]["activations"] > 0


@once
def test_kzoo_parity_compares_all_of_it(tmp_path):
    compared_with_itself(toy_spans(tmp_path), tmp_path)


@once
def test_the_recipe_that_ships_can_be_set_up():
    setup = set_up(load("span_corruption", ["training.epochs=1"]))
    assert setup.model.corruption == {"share": 0.15, "span_length": 3.0}
    assert setup.total_steps == len(setup.batches) > 20
