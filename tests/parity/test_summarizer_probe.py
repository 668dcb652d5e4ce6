"""`kzoo parity` of a summarizer: logits, gradients, steps, and tokens it writes."""

import json

import numpy as np
import pytest

from tests.helpers.paired_toys import toy_summarizer
from tests.helpers.probed import compared_with_itself


@pytest.mark.parametrize("copy", [False, True], ids=["plain", "copy"])
def test_all_of_a_summarizer_is_compared(copy, tmp_path):
    recipe = toy_summarizer(tmp_path, model={"copy": copy})
    pair = compared_with_itself(recipe, tmp_path)
    named = {row["name"] for row in pair["rows"] if row["kind"] == "logits"}
    assert named == ({"logits", "places", "gate", "source"} if copy else {""})
    facts = json.loads(tmp_path.joinpath("1.json").read_text())
    assert (facts["rows"], facts["tokens"], facts["target_tokens"]) == (8, 16, 4)
    with np.load(tmp_path / "1.npz") as found:
        written = found["predicted"]
    assert len(written) == facts["predicted"] * 2 * 6, "greedily, and by beams"
    assert (written >= 0).any()
