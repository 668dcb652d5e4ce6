"""A tagger's run that was interrupted ends in the bits of one that was not."""

import json

import keras
import numpy as np
import pytest

from kzoo.training import dry_run, resume, train
from kzoo.training.checkpoint import load as load_checkpoint
from tests.helpers.tagged_toys import toy_tagger
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


@once  # tests/parity and the steppers' tests train taggers on every backend.
def test_resumed_it_ends_in_the_same_bits(tmp_path):
    every = {"steps": 7, "accumulation": 2, "checkpoint_every": 3, "log_every": 1}
    recipe = toy_tagger(tmp_path, model={"head": "crf"}, training=every)
    whole = train(recipe, tmp_path / "whole", progress=False)
    with pytest.raises(ZeroDivisionError):
        train(recipe, tmp_path / "cut", progress=False, callbacks=[Crash()])
    again = resume(
        tmp_path / "cut" / "tagger" / keras.backend.backend(), progress=False
    )
    one, other = (
        load_checkpoint(result.folder / "checkpoints" / "step-00000007")[0]
        for result in (whole, again)
    )
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)
    assert records(again.folder) == records(whole.folder)
    dry = dry_run(recipe, tmp_path)
    assert dry["step"]["loss"] == pytest.approx(records(whole.folder)[0]["loss"], 1e-5)
    assert dry["rows"] == {"train": 41, "dev": 10, "test": 7}
    assert dry["labels"][:2] == ["O", "B-LOC"]
