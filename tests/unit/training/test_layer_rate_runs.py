"""Whole runs with rates by layer and layers that join, and what they say of them."""

import json

import pytest
from kzoo_recipes import KzooError

from kzoo.training import dry_run, train
from tests.helpers.interrupted import assert_equal_bits, records, whole_and_resumed
from tests.helpers.paired_toys import toy_summarizer
from tests.helpers.toys import once, toy_recipe

pytestmark = once


def test_resumed_between_two_stages_it_ends_in_the_same_bits(tmp_path):
    settings = {
        **{"steps": 9, "checkpoint_every": 2, "log_every": 1, "layer_decay": 0.5},
        **{"unfreeze_every": 3, "learning_rates": {"logits": 5e-2}},
    }
    recipe = toy_recipe(tmp_path, training=settings)
    whole, again = whole_and_resumed(recipe, tmp_path)
    assert_equal_bits(whole, again, step=9)
    assert records(again.folder) == records(whole.folder)
    groups = whole.metrics["groups"]
    assert [(g["parts"], g["from_step"]) for g in groups] == [
        (["logits"], 1),
        (["encoder.final_norm", "head"], 1),
        (["encoder.block_0"], 4),
        (["encoder.embedding"], 7),
    ]
    assert json.loads((again.folder / "metrics.json").read_text())["groups"] == groups
    assert sum(g["parameters"] for g in groups) == whole.metrics["trained_parameters"]


def test_the_groups_are_said(tmp_path, capsys):
    recipe = toy_recipe(tmp_path, training={"steps": 1, "layer_decay": 0.5})
    train(recipe, tmp_path)
    said = capsys.readouterr().err.splitlines()
    headline = next(n for n, line in enumerate(said) if "learning rate  decay" in line)
    assert [line.split("  ")[-1] for line in said[headline + 1 : headline + 4]] == [
        "encoder.final_norm, head, logits",
        "encoder.block_0",
        "encoder.embedding",
    ]


def test_parts_whose_turn_never_comes_are_said(tmp_path):
    recipe = toy_recipe(tmp_path, training={"steps": 5, "unfreeze_every_epochs": 0.9})
    facts = dry_run(recipe, tmp_path)
    assert facts["notes"][-1] == (
        "never trained: encoder.embedding; `unfreeze_every` frees them from step 7 on, "
        "and there are 5 steps"
    )
    assert [g["from_step"] for g in facts["groups"]] == [1, 4, 7]


def test_summarizers_join_from_both_tops(tmp_path):
    recipe = toy_summarizer(tmp_path, training={"steps": 1, "unfreeze_every": 1})
    groups = dry_run(recipe, tmp_path)["groups"]
    assert groups[1]["parts"] == ["encoder.block_0", "decoder.block_0"]
    assert "encoder.embedding" in groups[2]["parts"]


def test_unknown_parts_are_refused_before_anything_is_written(tmp_path):
    recipe = toy_recipe(tmp_path, training={"learning_rates": {"heads": 1e-3}})
    with pytest.raises(KzooError, match=r'learning_rates: .*did you mean "head"'):
        train(recipe, tmp_path / "runs", progress=False)
    assert not (tmp_path / "runs").exists()
