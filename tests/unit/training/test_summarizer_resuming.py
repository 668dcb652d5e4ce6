"""A summarizer's run that was interrupted ends in the bits of one that was not."""

import pytest

from kzoo.training import dry_run, train
from tests.helpers.interrupted import assert_equal_bits, records, whole_and_resumed
from tests.helpers.paired_toys import toy_summarizer
from tests.helpers.toys import once


@once  # tests/parity and the steppers' tests train summarizers on every backend.
def test_resumed_it_ends_in_the_same_bits(tmp_path):
    every = {"steps": 7, "accumulation": 2, "checkpoint_every": 3, "log_every": 1}
    recipe = toy_summarizer(
        tmp_path,
        training={**every, "ema_decay": 0.9, "precision": "mixed_bfloat16"},
        data={"buckets": [8, 16]},
    )
    whole, again = whole_and_resumed(recipe, tmp_path)
    assert_equal_bits(whole, again, step=7)
    assert records(again.folder) == records(whole.folder)
    assert again.metrics["test"] == whole.metrics["test"]
    dry = dry_run(recipe, tmp_path)
    assert dry["step"]["loss"] == pytest.approx(records(whole.folder)[0]["loss"], 1e-2)
    assert dry["rows"] == {"train": 41, "dev": 10, "test": 7}


@once
def test_the_decoder_may_stay_as_it_is(tmp_path):
    recipe = toy_summarizer(
        tmp_path, training={"steps": 1, "freeze": ["decoder.block_*"]}
    )
    result = train(recipe, tmp_path, progress=False)
    assert result.metrics["trained_parameters"] < result.metrics["parameters"]
