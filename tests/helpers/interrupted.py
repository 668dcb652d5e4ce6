"""A run that a crash cut short and that was resumed, beside one that was left alone."""

import json

import keras
import numpy as np
import pytest

from kzoo.training import resume, train
from kzoo.training.checkpoint import load as load_checkpoint

TIMES = ("examples_per_second", "seconds")


class Crash(keras.callbacks.Callback):
    """Ends the process's run after a step, as a power cut would."""

    def on_train_batch_end(self, batch, logs=None):
        self.seen = getattr(self, "seen", 0) + 1
        if self.seen == 5:
            raise ZeroDivisionError


def whole_and_resumed(recipe, folder):
    """The results of a run of a recipe, and of one that crashed after five steps."""
    whole = train(recipe, folder / "whole", progress=False)
    with pytest.raises(ZeroDivisionError):
        train(recipe, folder / "cut", progress=False, callbacks=[Crash()])
    cut = folder / "cut" / recipe.name / keras.backend.backend()
    return whole, resume(cut, progress=False)


def state_at(folder, step):
    """What the checkpoint of a run at a step holds: arrays by name."""
    return load_checkpoint(folder / "checkpoints" / f"step-{step:08}")[0]


def assert_equal_bits(one, other, step):
    """Fail unless the checkpoints of two results at a step hold the same."""
    one, other = (state_at(result.folder, step) for result in (one, other))
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def records(folder):
    """The history of a run without what the clock says."""
    lines = (folder / "history.jsonl").read_text("utf-8").splitlines()
    return [
        {k: v for k, v in json.loads(line).items() if k not in TIMES} for line in lines
    ]
