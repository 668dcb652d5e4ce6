"""A tagger's run that was interrupted ends in the bits of one that was not."""

import pytest

from kzoo.training import dry_run
from tests.helpers.interrupted import assert_equal_bits, records, whole_and_resumed
from tests.helpers.tagged_toys import toy_tagger
from tests.helpers.toys import once


@once  # tests/parity and the steppers' tests train taggers on every backend.
def test_resumed_it_ends_in_the_same_bits(tmp_path):
    every = {"steps": 7, "accumulation": 2, "checkpoint_every": 3, "log_every": 1}
    recipe = toy_tagger(tmp_path, model={"head": "crf"}, training=every)
    whole, again = whole_and_resumed(recipe, tmp_path)
    assert_equal_bits(whole, again, step=7)
    assert records(again.folder) == records(whole.folder)
    dry = dry_run(recipe, tmp_path)
    assert dry["step"]["loss"] == pytest.approx(records(whole.folder)[0]["loss"], 1e-5)
    assert dry["rows"] == {"train": 41, "dev": 10, "test": 7}
    assert dry["labels"][:2] == ["O", "B-LOC"]
