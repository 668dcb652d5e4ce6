"""`kzoo parity` of a summarizer: logits, gradients, steps, and tokens it writes."""

import json

import numpy as np
import pytest
from kzoo_recipes import to_toml

from kzoo.parity.probe import probe
from tests.helpers.paired_toys import toy_summarizer


@pytest.mark.parametrize("copy", [False, True], ids=["plain", "copy"])
def test_all_of_a_summarizer_is_compared(copy, tmp_path):
    """With itself here, so that what is compared is all that may differ."""
    recipe = toy_summarizer(tmp_path, model={"copy": copy})
    tmp_path.joinpath("recipe.toml").write_text(to_toml(recipe))
    for number in (0, 1):
        probe(tmp_path, number, steps=2)
    pair = json.loads(tmp_path.joinpath("0-1.json").read_text())
    assert pair["agree"] and pair["first_difference"] is None
    kinds = {row["kind"] for row in pair["rows"]}
    assert {"logits", "gradient", "losses", "trained", "predicted"} <= kinds
    named = {row["name"] for row in pair["rows"] if row["kind"] == "logits"}
    assert named == ({"logits", "places", "gate", "source"} if copy else {""})
    facts = json.loads(tmp_path.joinpath("1.json").read_text())
    assert (facts["rows"], facts["tokens"], facts["target_tokens"]) == (8, 16, 4)
    with np.load(tmp_path / "1.npz") as found:
        written = found["predicted"]
    assert len(written) == facts["predicted"] * 2 * 6, "greedily, and by beams"
    assert (written >= 0).any()
