"""`kzoo parity` of a tagger: its windows, its tags and what its head says."""

import json

import pytest

from tests.helpers.probed import compared_with_itself
from tests.helpers.tagged_toys import toy_tagger


@pytest.mark.parametrize("head", ["linear", "crf"])
def test_all_of_a_tagger_is_compared(head, tmp_path):
    recipe = toy_tagger(tmp_path, model={"head": head})
    pair = compared_with_itself(recipe, tmp_path)
    named = {row["name"] for row in pair["rows"] if row["kind"] == "logits"}
    assert named == ({""} if head == "linear" else {"logits", "transitions"})
    facts = json.loads(tmp_path.joinpath("1.json").read_text())
    assert (facts["rows"], facts["tokens"]) == (8, 16)
    assert facts["predicted"] > 10, "the windows of dev, more than its texts"
