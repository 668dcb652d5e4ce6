"""Batches: every row once, few shapes, an order from seed and step alone."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kzoo_recipes import KzooError

from kzoo.data import LabelSet, read
from kzoo.data.batches import (
    TrainingBatches,
    check_ids,
    inference_batches,
    length_buckets,
    pad,
)
from kzoo.text import Tokenizer

BUCKETS = [4, 8, 16]


def sequences(count, longest=16, seed=0):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, count)
    return [rng.integers(1, 50, length).astype("int32") for length in lengths]


def training(count=103, batch_size=8, seed=7):
    labels = np.arange(count) % 3
    return TrainingBatches(sequences(count), labels, batch_size, BUCKETS, 0, seed)


def epoch(batches, number):
    start = number * len(batches)
    return [batches.at(step) for step in range(start, start + len(batches))]


def texts_of(inputs, count):
    pairs = zip(inputs["token_ids"], inputs["padding_mask"], strict=True)
    return [ids[mask].tolist() for ids, mask in list(pairs)[:count]]


@settings(deadline=None, max_examples=50)
@given(
    count=st.integers(1, 70),
    batch_size=st.integers(1, 9),
    seed=st.integers(0, 2**31 - 1),
    number=st.integers(0, 5),
)
def test_every_row_once_per_epoch(count, batch_size, seed, number):
    token_ids, batches = sequences(count), training(count, batch_size, seed)
    seen = []
    for batch in epoch(batches, number):
        ids, mask = batch.inputs["token_ids"], batch.inputs["padding_mask"]
        assert ids.shape == mask.shape and ids.shape[0] == batch_size
        assert ids.shape[1] in BUCKETS
        assert (ids.dtype, mask.dtype) == (np.int32, bool)
        rows, real = batch.rows, batch.examples
        assert texts_of(batch.inputs, real) == [token_ids[r].tolist() for r in rows]
        assert batch.labels[:real].tolist() == (rows % 3).tolist()
        assert batch.weights.sum() == pytest.approx(1, abs=1e-6)
        assert (batch.weights[:real] == np.float32(1 / real)).all()
        assert not batch.weights[real:].any() and not batch.labels[real:].any()
        assert not ids[real:].any() and (mask[real:].sum(axis=1) == 1).all()
        assert batch.padding_share == pytest.approx(1 - mask[:real].sum() / mask.size)
        dtypes = (batch.labels.dtype, batch.weights.dtype, rows.dtype)
        assert dtypes == (np.int32, np.float32, np.int64)
        seen += rows.tolist()
    assert sorted(seen) == list(range(count))
    assert sum(len(b.rows) < batch_size for b in epoch(batches, number)) <= 1


def test_a_step_does_not_depend_on_the_steps_before():
    straight = [training().at(step) for step in range(60)]
    batches = training()
    for step in (59, 3, 30, 3, 0, 14):
        batch = batches.at(step)
        np.testing.assert_array_equal(batch.rows, straight[step].rows)
        for name, value in straight[step].inputs.items():
            np.testing.assert_array_equal(batch.inputs[name], value)


def test_the_order_is_written_down():
    """Philox' raw numbers never change; this order is part of the promise."""
    orders = [b.rows.tolist() for b in epoch(training(10, 4), 0)]
    assert orders == [[9, 0], [4, 3, 2, 1], [7, 5, 6, 8]]


def test_epochs_and_seeds_differ():
    batches = training()
    orders = [np.concatenate([b.rows for b in epoch(batches, n)]) for n in range(3)]
    orders.append(np.concatenate([b.rows for b in epoch(training(seed=8), 0)]))
    for a, b in combinations(orders, 2):
        assert (a != b).mean() > 0.8


def test_rows_of_a_batch_vary_between_epochs():
    """Sorting by length must not pair the same rows for ever."""
    batches = training(1000)
    first, second = (
        {frozenset(b.rows.tolist()) for b in epoch(batches, n)} for n in (0, 1)
    )
    assert not first & second


@pytest.mark.parametrize("length", [1, 3, 8, 40, 128, 512, 5000])
def test_default_buckets(length):
    buckets = length_buckets(length)
    assert buckets[-1] == length and len(buckets) <= 8
    assert buckets == sorted(set(buckets)) and buckets[0] >= min(length, 8)


@settings(deadline=None, max_examples=60)
@given(
    lengths=st.lists(st.integers(1, 50), min_size=1, max_size=30),
    longest=st.integers(1, 30),
    most=st.integers(1, 4),
)
def test_fitted_buckets_pad_least(lengths, longest, most):
    """Against every choice there is."""

    def cells(buckets):
        return sum(min(b for b in buckets if b >= n) for n in cut)

    cut = [min(n, longest) for n in lengths]
    buckets = length_buckets(longest, lengths, most)
    last = min(longest, -(-max(cut) // 4) * 4)
    assert buckets == sorted(set(buckets)) and buckets[-1] == last
    assert len(buckets) <= most
    others = range(4, last, 4)
    choices = (c for n in range(most) for c in combinations(others, n))
    assert cells(buckets) == min(cells([*choice, last]) for choice in choices)


def test_no_lengths_is_no_wish():
    assert length_buckets(64, []) == length_buckets(64)


def test_buckets_need_a_length():
    with pytest.raises(ValueError, match="Received: sequence_length=0, most=8"):
        length_buckets(0)


@given(st.lists(st.integers(1, 16), max_size=20), st.integers(1, 5))
def test_inference_batches_answer_every_row(lengths, batch_size):
    token_ids = [np.full(length, length, "int32") for length in lengths]
    seen = []
    for rows, inputs in inference_batches(token_ids, batch_size, BUCKETS, 0):
        own = min(b for b in BUCKETS if b >= max(lengths[row] for row in rows))
        assert inputs["token_ids"].shape == (batch_size, own)
        assert all(min(b for b in BUCKETS if b >= lengths[r]) == own for r in rows)
        expected = [token_ids[row].tolist() for row in rows]
        assert texts_of(inputs, len(rows)) == expected
        assert (inputs["padding_mask"][len(rows) :].sum(axis=1) == 1).all()
        seen += rows.tolist()
    assert sorted(seen) == list(range(len(lengths)))


def test_pad_by_hand():
    batch = pad([np.array([5, 6], "int32"), np.array([7], "int32")], 3, 9, rows=3)
    assert batch["token_ids"].tolist() == [[5, 6, 9], [7, 9, 9], [9, 9, 9]]
    assert batch["padding_mask"].astype(int).tolist() == [
        [1, 1, 0],
        [1, 0, 0],
        [1, 0, 0],
    ]


@pytest.mark.parametrize("length, rows", [(1, None), (2, 1)])
def test_pad_loses_nothing(length, rows):
    with pytest.raises(ValueError, match=f"2 tokens, rows={rows}, length={length}"):
        pad([np.array([5, 6]), np.array([7])], length, 0, rows)


@pytest.mark.parametrize("length", [0, 17])
def test_lengths_outside_the_buckets(length):
    with pytest.raises(ValueError, match=f"1 to 16 tokens.*from {length} to {length}"):
        TrainingBatches([np.ones(length, "int32")], [0], 2, BUCKETS, 0, 7)


@pytest.mark.parametrize("labels", [[0], []])
def test_rows_need_labels(labels):
    token_ids = sequences(2 * len(labels))
    message = f"Received: {len(token_ids)} rows, {len(labels)} labels"
    with pytest.raises(ValueError, match=message):
        TrainingBatches(token_ids, labels, 2, BUCKETS, 0, 7)


def test_good_ids_pass():
    check_ids([np.array([0, 9]), np.array([3])], 10, [0, 2], 3)


@pytest.mark.parametrize(
    "token_ids, labels, message",
    [
        ([[1], [3, 10]], None, "Text 1 has the token id 10, but .* has 10 ids from 0"),
        ([[-1, 3]], None, "Text 0 has the token id -1"),
        ([[1], []], None, "Text 1 has no tokens"),
        ([[1]], [0, 3], "Row 1 has the label id 3, but the model has 3 classes from 0"),
        ([[1]], [-100], "Row 0 has the label id -100"),
    ],
)
def test_ids_outside_their_table(token_ids, labels, message):
    with pytest.raises(KzooError, match=message):
        check_ids([np.array(ids, "int32") for ids in token_ids], 10, labels, 3)


def test_little_padding_and_few_shapes_on_sst2(corpora):
    rows = read(corpora / "sst2" / "train.csv")
    token_ids = Tokenizer.train(rows.texts).encode(rows.texts, 128, False).token_ids
    buckets = length_buckets(128, [len(ids) for ids in token_ids])
    labels = LabelSet.from_rows(rows).ids(rows)
    found = epoch(TrainingBatches(token_ids, labels, 32, buckets, 0, 7), 0)
    cells = np.array([batch.inputs["token_ids"].size for batch in found])
    padding = np.array([batch.padding_share for batch in found])
    assert len(set(cells)) <= 8
    assert (cells * padding).sum() / cells.sum() < 0.16
