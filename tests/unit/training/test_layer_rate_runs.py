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


LATE = "`unfreeze_every` frees them from step"


def test_parts_whose_turn_never_comes_are_said_and_not_counted(tmp_path):
    settings = {"steps": 5, "unfreeze_every_epochs": 0.9, "freeze": ["head"]}
    recipe = toy_recipe(tmp_path, training=settings)
    facts = dry_run(recipe, tmp_path)
    counts, late = facts["parameters"], facts["groups"][-1]
    frozen, never = facts["notes"][-2:]
    assert never == (
        f"never trained: encoder.embedding, {late['parameters']:,} parameters; {LATE} "
        "7 on, and there are 5 steps"
    )
    assert counts["trained"] == counts["trainable"] - late["parameters"]
    assert f"; {counts['trained']:,} of {counts['total']:,} parameters" in frozen
    assert [g["from_step"] for g in facts["groups"]] == [1, 4, 7]


def test_a_run_that_stops_early_counts_what_it_moved(tmp_path, capsys):
    """Of 9 steps 4 are made, so what begins with the seventh is never trained."""
    settings = {"unfreeze_every": 3, "steps": 9, "evaluate_every": 2, "patience": 1}
    recipe = toy_recipe(tmp_path, training={**settings, "min_delta": 1.0})
    result = train(recipe, tmp_path)
    assert result.metrics["steps"] == 4 and result.metrics["stopped"]
    *moved, _ = result.metrics["groups"]
    counted = sum(group["parameters"] for group in moved)
    assert result.metrics["trained_parameters"] == counted
    said = " ".join(capsys.readouterr().err.split())
    assert said.count(LATE) == 1 and "7 on, and there are 4 steps" in said
    notes = json.loads((result.folder / "metrics.json").read_text())["notes"]
    assert [LATE in note for note in notes].count(True) == 1


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
