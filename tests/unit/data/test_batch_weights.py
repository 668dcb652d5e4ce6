"""What a row counts within its batch, and labels of many classes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kzoo.data.batches import TrainingBatches

TOKENS = [np.full(1 + row % 5, row + 1, "int32") for row in range(23)]
LABELS = np.arange(23) % 3


def batches(weights, labels=LABELS, batch_size=4):
    return TrainingBatches(TOKENS, labels, batch_size, [4, 8], 0, 7, weights)


def epoch(batches, number=0):
    return [batches.at(number * len(batches) + place) for place in range(len(batches))]


@settings(deadline=None, max_examples=30)
@given(
    weights=st.lists(
        st.floats(0, 1e300, allow_subnormal=False), min_size=23, max_size=23
    ).filter(any),
    number=st.integers(0, 3),
)
def test_weights_are_shares_of_their_batch(weights, number):
    seen = []
    for batch in epoch(batches(weights), number):
        own = np.array([weights[row] for row in batch.rows])
        expected = (own / own.max()) / (own / own.max()).sum()
        np.testing.assert_allclose(
            batch.weights[: len(own)], expected, rtol=1e-6, atol=1e-37
        )
        assert batch.weights.sum() == pytest.approx(1, abs=1e-6)
        assert batch.weights.dtype == np.float32
        assert not batch.weights[len(own) :].any()
        seen += batch.rows.tolist()
    assert sorted(seen) == [row for row in range(23) if weights[row]]


def test_equal_weights_change_nothing():
    for plain, weighted in zip(
        epoch(batches(None)), epoch(batches([7.0] * 23)), strict=True
    ):
        np.testing.assert_array_equal(weighted.rows, plain.rows)
        np.testing.assert_array_equal(weighted.weights, plain.weights)


def test_rows_may_have_many_labels():
    many = np.random.default_rng(7).integers(0, 2, (23, 3), dtype="uint8")
    for batch in epoch(batches(None, many)):
        assert batch.labels.shape == (4, 3)
        assert batch.labels.dtype == np.float32
        np.testing.assert_array_equal(batch.labels[: batch.examples], many[batch.rows])
        assert not batch.labels[batch.examples :].any()


@pytest.mark.parametrize(
    "weights, message",
    [
        ([1.0] * 22, r"23 rows, example_weights.shape=\(22,\)"),
        ([[1.0]] * 23, r"example_weights.shape=\(23, 1\)"),
        ([0.0] * 23, "example_weights from 0.0 to 0.0"),
        ([-0.5] + [1.0] * 22, "example_weights from -0.5 to 1.0"),
        ([np.inf] + [1.0] * 22, "example_weights from 1.0 to inf"),
        ([np.nan] + [1.0] * 22, "example_weights from nan to nan"),
    ],
)
def test_weights_that_cannot_be_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        batches(weights)
