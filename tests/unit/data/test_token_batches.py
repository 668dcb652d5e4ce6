"""Batches with a label for each token: what has none counts nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kzoo_recipes import KzooError

from kzoo.data.batches import TrainingBatches, check_ids

BUCKETS = [4, 8, 16]


def rows(count=45, seed=0, silent=0.2):
    """Token ids, labels and weights; of some rows, no token has a label."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 17, count)
    ids = [rng.integers(1, 50, length).astype("int32") for length in lengths]
    labels = [rng.integers(1, 5, length) for length in lengths]
    weights = [
        rng.uniform(0.5, 2, length)
        * (rng.random(length) < 0.5)
        * (rng.random() > silent)
        for length in lengths
    ]
    return ids, labels, weights


def epoch(batches):
    return [batches.at(step) for step in range(len(batches))]


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 99),
    batch_size=st.sampled_from([1, 4, 6]),
    accumulation=st.sampled_from([1, 2]),
)
def test_shares_of_all_labelled_tokens_of_an_update(seed, batch_size, accumulation):
    ids, labels, weights = rows(seed=seed)
    batch_size *= accumulation
    batches = TrainingBatches(
        ids, labels, batch_size, BUCKETS, 0, 7, weights, accumulation
    )
    seen = []
    for update in epoch(batches):
        total = sum(weights[row].sum() for row in update.rows)
        parts = getattr(update, "parts", [update])
        sums = sum(part.weights.sum(dtype="float64") for part in parts)
        assert sums == pytest.approx(1, abs=1e-6)
        for part in parts:
            shape = part.inputs["token_ids"].shape
            assert part.labels.shape == part.weights.shape == shape
            assert (part.labels.dtype, part.weights.dtype) == (np.int32, np.float32)
            assert part.weights.any()
            for place, row in enumerate(part.rows):
                size = len(ids[row])
                own, said = part.weights[place, :size], part.labels[place, :size]
                np.testing.assert_allclose(own, weights[row] / total, rtol=1e-6)
                np.testing.assert_array_equal(
                    said, np.where(weights[row] > 0, labels[row], 0)
                )
                assert not part.weights[place, size:].any()
                assert not part.labels[place, size:].any()
            assert not part.weights[len(part.rows) :].any()
        seen += update.rows.tolist()
    counting = [row for row in range(len(ids)) if weights[row].any()]
    assert sorted(seen) == counting
    assert batches.left_out == len(ids) - len(counting)


def test_rows_stand_in_the_order_of_plain_batches():
    ids, labels, _ = rows()
    plain = TrainingBatches(ids, np.zeros(len(ids)), 8, BUCKETS, 0, 7)
    for one, two in zip(
        epoch(plain), epoch(TrainingBatches(ids, labels, 8, BUCKETS, 0, 7)), strict=True
    ):
        np.testing.assert_array_equal(one.rows, two.rows)
        np.testing.assert_array_equal(one.inputs["token_ids"], two.inputs["token_ids"])
        tokens = sum(len(ids[row]) for row in two.rows)  # All count alike.
        assert two.weights.max() == pytest.approx(1 / tokens)
        assert np.count_nonzero(two.weights) == tokens


def test_the_largest_weights_do_not_overflow():
    ids = [np.array([5, 6, 7], "int32")] * 2
    weights = [np.array([1e308, 0, 1e308]), np.array([1e308, 1e308, 0])]
    batch = TrainingBatches(ids, [[1, 2, 3]] * 2, 2, [3], 0, 7, weights).at(0)
    assert sorted(batch.weights.reshape(-1).tolist()) == [0, 0, 0.25, 0.25, 0.25, 0.25]


@pytest.mark.parametrize(
    "labels, weights, message",
    [
        ([[1, 2], [1]], None, r"Row 1 has 2 tokens.*labels\[1\].shape=\(1,\)"),
        (
            [[1, 2], [1, 2]],
            [[1, 1], [[1], [1]]],
            r"Row 1 has 2 .*weights\[1\].shape=\(2, 1\)",
        ),
        ([[1, 2], [1, 2]], [[1, 1]], "Received: 2 rows, 1 of example_weights"),
        ([[1, 2]], None, "Received: 2 rows, 1 labels"),
        ([[1, 2], [1, 2]], [[0, 0], [0, 0]], "example_weights from 0.0 to 0.0"),
        ([[1, 2], [1, 2]], [[0, 1], [-1, 0]], "example_weights from -1.0 to 1.0"),
    ],
)
def test_what_does_not_fit_the_tokens_is_refused(labels, weights, message):
    ids = [np.array([5, 6], "int32")] * 2
    with pytest.raises(ValueError, match=message):
        TrainingBatches(ids, labels, 2, [4], 0, 7, weights)


def test_ids_of_tokens_are_checked():
    ids = [np.array([5, 6], "int32"), np.array([7], "int32")]
    check_ids(ids, 10, [np.array([0, 2]), np.array([1])], 3)
    for wrong in (3, -100):
        with pytest.raises(KzooError, match=f"Row 1 has the label id {wrong}, but"):
            check_ids(ids, 10, [np.array([0, 2]), np.array([wrong])], 3)
