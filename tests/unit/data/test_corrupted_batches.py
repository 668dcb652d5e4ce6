"""Batches of missing spans: what is read, what is written, what a token counts."""

import numpy as np
import pytest

from kzoo.data.batches import CorruptedWindows, MaskedBatches, fixed_batches
from kzoo.text import Tokenizer
from kzoo.text.masking import FIXED
from kzoo.text.spans import Corrupter, Corruption

LENGTHS = np.random.default_rng(5).integers(4, 25, 37)
START, END, PAD = 2, 3, 0


@pytest.fixture(scope="module")
def windows():
    letters = [" ".join("abcdefghijklmnopqrstuvwxyz")] * 2
    tokenizer = Tokenizer.train(letters, "word", 60, min_frequency=1, sentinels=9)
    rng = np.random.default_rng(4)
    ids = [
        np.array([2, *rng.integers(5, 31, size - 2), 3], "int32") for size in LENGTHS
    ]
    corrupter = Corrupter(Corruption(0.3, 2.0), tokenizer, END)
    return CorruptedWindows(ids, corrupter, [8, 16, 24], PAD, START)


@pytest.mark.parametrize("accumulation", [1, 2])
def test_an_epoch_has_every_window_once_and_few_shapes(windows, accumulation):
    batches = MaskedBatches(windows, 8, 7, accumulation)
    rows, shapes = [], set()
    for step in range(len(batches)):
        batch = batches.at(step)
        rows += batch.rows.tolist()
        parts = getattr(batch, "parts", [batch])
        assert sum(part.weights.sum() for part in parts) == pytest.approx(1)
        counts = np.concatenate([part.weights[part.weights > 0] for part in parts])
        assert np.ptp(counts) == 0  # Every token of an update counts the same.
        shapes |= {tuple(part.shapes) for part in parts}
    assert sorted(rows) == list(range(37)) and len(shapes) <= 3


def test_what_is_given_is_what_was_to_be_written_one_step_before(windows):
    batches = MaskedBatches(windows, 8, 7)
    for step in range(2 * len(batches)):
        batch, epoch = batches.at(step), step // len(batches)
        for line, row in enumerate(batch.rows):
            wanted = windows.corrupter.corrupt(windows.token_ids[row], 7, epoch, row)
            counted = batch.weights[line] > 0
            given = batch.inputs["decoder_token_ids"][line]
            np.testing.assert_array_equal(batch.labels[line][counted], wanted[1])
            np.testing.assert_array_equal(
                given[counted], [START, *wanted[1][:-1].tolist()]
            )
            np.testing.assert_array_equal(
                batch.inputs["decoder_padding_mask"][line], counted
            )
            seen = batch.inputs["encoder_padding_mask"][line]
            read = batch.inputs["encoder_token_ids"][line]
            np.testing.assert_array_equal(read[seen], wanted[0])
        assert not batch.weights[len(batch.rows) :].any()
        cells = sum(np.prod(shape) for shape in batch.shapes)
        fillers = 8 - len(batch.rows)
        tokens = sum(
            batch.inputs[f"{side}_padding_mask"].sum()
            for side in ("encoder", "decoder")
        )
        share = (tokens - 2 * fillers) / cells
        assert batch.padding_share == pytest.approx(1 - share)


def test_fixed_batches_hold_all_and_do_not_change(windows):
    found = [list(fixed_batches(windows, 8, 0, FIXED)) for _ in range(2)]
    rows = np.concatenate([batch.rows for batch in found[0]])
    assert sorted(rows) == list(range(37))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one.labels, other.labels)
        assert set(np.unique(one.weights)) <= {0.0, 1.0}
