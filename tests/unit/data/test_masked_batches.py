"""Batches of hidden tokens: what they ask, what it counts, and how often."""

import numpy as np
import pytest

from kzoo.data.batches import MaskedBatches, MaskedWindows, fixed_batches
from kzoo.text import Tokenizer
from kzoo.text.masking import FIXED, Masker, Masking

LENGTHS = np.random.default_rng(5).integers(3, 24, 37)


@pytest.fixture(scope="module")
def windows():
    letters = [" ".join("abcdefghijklmnopqrstuvwxyz")] * 2
    tokenizer = Tokenizer.train(letters, "word", 60, min_frequency=1)
    rng = np.random.default_rng(4)
    ids = [
        np.array([2, *rng.integers(5, 31, size - 2), 3], "int32") for size in LENGTHS
    ]
    words = [np.array([-1, *range(size - 2), -1]) for size in LENGTHS]
    masker = Masker(Masking(), tokenizer)
    return MaskedWindows(ids, words, masker, [8, 16, 24], 0)


def parts_of(batch):
    return getattr(batch, "parts", [batch])


@pytest.mark.parametrize("accumulation", [1, 2])
def test_an_epoch_asks_about_every_window_once(windows, accumulation):
    batches = MaskedBatches(windows, 8, 7, accumulation)
    rows = np.concatenate([batches.at(step).rows for step in range(len(batches))])
    assert sorted(rows) == list(range(37)) and len(batches) == 5
    for step in range(len(batches)):
        parts = parts_of(batches.at(step))
        assert sum(part.weights.sum() for part in parts) == pytest.approx(1)
        counts = np.concatenate([part.weights[part.weights > 0] for part in parts])
        assert np.ptp(counts) == 0  # Every place of an update counts the same.


def test_labels_are_what_was_hidden(windows):
    batches = MaskedBatches(windows, 8, 7)
    shapes = set()
    for step in range(2 * len(batches)):
        batch = batches.at(step)
        shapes.add((batch.inputs["token_ids"].shape, batch.labels.shape))
        for line, row in enumerate(batch.rows):
            own = windows.token_ids[row]
            asked = batch.weights[line] > 0
            places = batch.inputs["places"][line][asked]
            assert len(places) == max(1, int(0.15 * (len(own) - 2) + 0.5))
            np.testing.assert_array_equal(batch.labels[line][asked], own[places])
            read = batch.inputs["token_ids"][line][: len(own)]
            np.testing.assert_array_equal(
                np.delete(read, places), np.delete(own, places)
            )
        assert not batch.weights[len(batch.rows) :].any()
    assert shapes == {
        ((8, length), (8, places)) for length, places in ((8, 1), (16, 2), (24, 3))
    }


def test_every_epoch_hides_other_tokens_and_a_step_always_the_same(windows):
    batches, again = MaskedBatches(windows, 37, 7), MaskedBatches(windows, 37, 7)
    assert len(batches) == 1
    first, second = batches.at(0), batches.at(1)
    later = again.at(1)  # As after a resume, without the steps before it.
    for name, values in second.inputs.items():
        np.testing.assert_array_equal(values, later.inputs[name])

    def places(batch):
        return {
            int(row): tuple(own)
            for row, own in zip(batch.rows, batch.inputs["places"], strict=True)
        }

    assert places(first) != places(second)
    other = MaskedBatches(windows, 37, 8).at(0)
    assert places(first) != places(other)


def test_parts_of_an_update_ask_what_the_whole_does(windows):
    whole, split = MaskedBatches(windows, 8, 7), MaskedBatches(windows, 8, 7, 4)
    for step in (0, 3, 6):
        asked = {}
        for name, batch in (("whole", whole.at(step)), ("split", split.at(step))):
            asked[name] = {
                int(row): part.inputs["places"][line][part.weights[line] > 0].tolist()
                for part in parts_of(batch)
                for line, row in enumerate(part.rows)
            }
        assert asked["whole"] == asked["split"]


def test_what_is_measured_is_always_the_same(windows):
    def asked(size):
        found = {}
        for batch in fixed_batches(windows, size, 0, FIXED):
            assert set(np.unique(batch.weights)) <= {0.0, 1.0}
            for line, row in enumerate(batch.rows):
                places = batch.inputs["places"][line][batch.weights[line] > 0]
                found[int(row)] = places.tolist()
        return found

    assert asked(4) == asked(16)
    assert sorted(asked(4)) == list(range(37))
