"""A resumed run finds its place in a long corpus without going through it."""

import numpy as np
import pytest

from kzoo.data.batches import TrainingBatches
from kzoo.data.batches.order import Order

ROWS, BATCH = 200_003, 32


@pytest.fixture(scope="module")
def corpus():
    lengths = np.random.default_rng(0).integers(1, 9, ROWS)
    return [np.arange(length, dtype="int32") for length in lengths]


def batches(corpus):
    labels = np.arange(ROWS) % 7
    return TrainingBatches(corpus, labels, BATCH, [4, 8], pad_id=0, seed=11)


def test_any_step_is_one_plan_away(corpus, monkeypatch):
    plan, planned = Order._planned, []

    def counted(self, epoch):
        planned.append(epoch)
        return plan(self, epoch)

    monkeypatch.setattr(Order, "_planned", counted)
    per_epoch = len(batches(corpus))
    resumed = batches(corpus)
    batch = resumed.at(1_000_000)
    assert planned == [1_000_000 // per_epoch]
    assert batch.examples in (BATCH, ROWS % BATCH)


def test_going_on_is_going_through(corpus):
    """From ten steps before the end of an epoch to ten steps into the next."""
    through = batches(corpus)
    per_epoch = len(through)
    for step in range(per_epoch - 10, per_epoch + 10):
        expected = through.at(step)
        if step % 5:
            continue
        actual = batches(corpus).at(step)
        np.testing.assert_array_equal(actual.rows, expected.rows)
        np.testing.assert_array_equal(actual.labels, expected.labels)
        for name, values in expected.inputs.items():
            np.testing.assert_array_equal(actual.inputs[name], values, err_msg=name)
