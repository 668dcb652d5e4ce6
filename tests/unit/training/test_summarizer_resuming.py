"""A summarizer's run that was interrupted ends in the bits of one that was not."""

import json

import keras
import numpy as np
import pytest

from kzoo.training import dry_run, resume, train
from kzoo.training.checkpoint import load as load_checkpoint
from tests.helpers.paired_toys import toy_summarizer
from tests.helpers.toys import once

TIMES = ("examples_per_second", "seconds")


class Crash(keras.callbacks.Callback):
    """Ends the process's run after a step, as a power cut would."""

    def on_train_batch_end(self, batch, logs=None):
        self.seen = getattr(self, "seen", 0) + 1
        if self.seen == 5:
            raise ZeroDivisionError


def records(folder):
    lines = (folder / "history.jsonl").read_text("utf-8").splitlines()
    return [
        {k: v for k, v in json.loads(line).items() if k not in TIMES} for line in lines
    ]


@once  # tests/parity and the steppers' tests train summarizers on every backend.
def test_resumed_it_ends_in_the_same_bits(tmp_path):
    every = {"steps": 7, "accumulation": 2, "checkpoint_every": 3, "log_every": 1}
    recipe = toy_summarizer(
        tmp_path,
        training={**every, "ema_decay": 0.9, "precision": "mixed_bfloat16"},
        data={"buckets": [8, 16]},
    )
    whole = train(recipe, tmp_path / "whole", progress=False)
    with pytest.raises(ZeroDivisionError):
        train(recipe, tmp_path / "cut", progress=False, callbacks=[Crash()])
    again = resume(
        tmp_path / "cut" / "summarizer" / keras.backend.backend(), progress=False
    )
    one, other = (
        load_checkpoint(result.folder / "checkpoints" / "step-00000007")[0]
        for result in (whole, again)
    )
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)
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
