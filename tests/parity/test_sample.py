"""The rows that `kzoo parity` takes: few, spread, and in one length."""

import dataclasses
import types

import numpy as np
import pytest
from kzoo_recipes import load

from kzoo.parity.sample import sampled, spread
from kzoo.tasks.text_classifier import Encoded, Prepared


def split(rows):
    lengths = 3 + np.arange(rows) % 20
    ids = [np.full(length, row, "int32") for row, length in enumerate(lengths)]
    return Encoded(ids, np.arange(rows, dtype="int32"), list(range(rows)))


@pytest.fixture
def prepared():
    splits = {"train": split(1000), "dev": split(200), "test": split(5)}
    return Prepared(types.SimpleNamespace(), [], splits, 64, [])


@pytest.mark.parametrize(
    "batch_size, accumulation, rows", [(50, 1, 8), (4, 1, 4), (48, 3, 8), (60, 12, 8)]
)
def test_batches_are_small_and_whole(prepared, batch_size, accumulation, rows):
    overrides = [f"training.batch_size={batch_size}"]
    overrides += [f"training.accumulation={accumulation}", "training.epochs=3"]
    recipe, small = sampled(load("text_classifier", overrides), prepared, 7)
    assert recipe.training.batch_size == rows
    assert recipe.training.accumulation == 1
    assert recipe.training.steps == 7
    assert recipe.data.buckets == [24]  # The longest of the rows that were taken.
    assert len(small.splits["train"]) == 16 * rows
    assert set(small.splits) == {"train", "dev"}
    assert len(small.splits["dev"]) == 64


def test_rows_stay_together(prepared):
    for taken in (spread(prepared.splits["train"], 10), spread(split(3), 10)):
        assert [ids[0] for ids in taken.token_ids] == taken.labels.tolist()
        assert taken.weights == taken.labels.tolist()
    assert len(taken) == 3
    assert dataclasses.is_dataclass(taken)
