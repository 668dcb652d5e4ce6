"""`kzoo parity` of a tagger: its windows, its tags and what its head says."""

import json

import pytest
from kzoo_recipes import to_toml

from kzoo.parity.probe import probe
from tests.helpers.tagged_toys import toy_tagger


@pytest.mark.parametrize("head", ["linear", "crf"])
def test_all_of_a_tagger_is_compared(head, tmp_path):
    """With itself here, so that what is compared is all that may differ."""
    recipe = toy_tagger(tmp_path, model={"head": head})
    tmp_path.joinpath("recipe.toml").write_text(to_toml(recipe))
    for number in (0, 1):
        probe(tmp_path, number, steps=2)
    pair = json.loads(tmp_path.joinpath("0-1.json").read_text())
    assert pair["agree"] and pair["first_difference"] is None
    kinds = {row["kind"] for row in pair["rows"]}
    assert {"logits", "gradient", "losses", "trained", "predicted"} <= kinds
    named = {row["name"] for row in pair["rows"] if row["kind"] == "logits"}
    assert named == ({""} if head == "linear" else {"logits", "transitions"})
    facts = json.loads(tmp_path.joinpath("1.json").read_text())
    assert (facts["rows"], facts["tokens"]) == (8, 16)
    assert facts["predicted"] > 10, "the windows of dev, more than its texts"
