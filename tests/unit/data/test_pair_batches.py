"""Batches of sources and targets: few shapes, one share for each target token."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kzoo.data.batches import PairedBatches, Pairs, measuring_batches

BUCKETS = ([8, 16], [4, 6])
START, END = 2, 3


def pairs(count=45, seed=0):
    rng = np.random.default_rng(seed)

    def drawn(longest):
        lengths = rng.integers(1, longest + 1, count)
        return [rng.integers(5, 50, length).astype("int32") for length in lengths]

    targets = [np.append(ids, END).astype("int32") for ids in drawn(5)]
    return Pairs(drawn(16), targets, BUCKETS, pad_id=0, start_id=START)


def parts_of(update):
    return getattr(update, "parts", [update])


def epoch(batches):
    return [batches.at(step) for step in range(len(batches))]


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 99),
    batch_size=st.sampled_from([1, 4, 6]),
    accumulation=st.sampled_from([1, 2, 3]),
    weighted=st.booleans(),
)
def test_every_pair_is_read_written_and_counted(
    seed, batch_size, accumulation, weighted
):
    data, rng = pairs(seed=seed), np.random.default_rng(seed)
    own = rng.uniform(0.5, 2, 45) * (rng.random(45) < 0.8) if weighted else np.ones(45)
    size = batch_size * accumulation
    batches = PairedBatches(data, size, 7, own if weighted else None, accumulation)
    seen = []
    for update in epoch(batches):
        total = sum(own[row] * len(data.targets[row]) for row in update.rows)
        sums = sum(part.weights.sum(dtype="float64") for part in parts_of(update))
        assert sums == pytest.approx(1, abs=1e-6)
        for part in parts_of(update):
            (rows, source), (_, target) = part.shapes
            assert rows == batch_size and source in (8, 16) and target in (4, 6)
            assert part.labels.shape == part.weights.shape == (rows, target)
            for place, row in enumerate(part.rows):
                check_row(part, place, data.sources[row], data.targets[row])
                said = part.weights[place, : len(data.targets[row])]
                np.testing.assert_allclose(said, own[row] / total, rtol=1e-6)
            assert not part.weights[len(part.rows) :].any()
        seen += update.rows.tolist()
    assert sorted(seen) == np.flatnonzero(own).tolist()
    assert batches.left_out == int((own == 0).sum())


def check_row(part, place, source, target):
    read = part.inputs["encoder_token_ids"][place]
    mask = part.inputs["encoder_padding_mask"][place]
    np.testing.assert_array_equal(read[mask], source)
    assert not read[~mask].any()
    given = part.inputs["decoder_token_ids"][place]
    mask = part.inputs["decoder_padding_mask"][place]
    np.testing.assert_array_equal(given[mask], [START, *target[:-1]])
    np.testing.assert_array_equal(part.labels[place][mask], target)
    assert not part.labels[place][~mask].any()
    assert not part.weights[place][~mask].any()


def test_the_order_follows_from_seed_and_step():
    through = epoch(PairedBatches(pairs(), 8, 7))
    again = PairedBatches(pairs(), 8, 7)
    for step in (4, 1, 5):
        for name, values in through[step].inputs.items():
            np.testing.assert_array_equal(again.at(step).inputs[name], values)
    order = [update.rows.tolist() for update in through]
    next_one = [again.at(step + len(again)).rows.tolist() for step in range(len(again))]
    other = [batch.rows.tolist() for batch in epoch(PairedBatches(pairs(), 8, 8))]
    assert order != next_one and order != other


def test_targets_are_padded_less_than_in_any_order():
    """Among sources of a bucket, targets of one length stand together."""
    rng = np.random.default_rng(0)
    sources = [np.ones(length, "int32") for length in rng.integers(1, 17, 600)]
    targets = [np.ones(length, "int32") for length in rng.integers(1, 33, 600)]
    data = Pairs(sources, targets, ([8, 16], [8, 16, 24, 32]), 0, START)
    batches = epoch(PairedBatches(data, 10, 7))
    cells = sum(batch.labels.size for batch in batches)
    tokens = sum(map(len, targets))
    assert cells < 1.35 * tokens < 600 * 32


def test_the_padding_share_counts_both_sides():
    data = Pairs([np.ones(3, "int32")], [np.ones(2, "int32")], ([8], [4]), 0, START)
    assert PairedBatches(data, 1, 0).at(0).padding_share == pytest.approx(1 - 5 / 12)
    split = PairedBatches(data, 2, 0, accumulation=2).at(0)
    assert split.padding_share == pytest.approx(1 - 5 / 12)


@pytest.mark.parametrize("batch_size", [1, 7, 64])
def test_measuring_counts_every_target_token_alike(batch_size):
    data = pairs()
    seen, total = [], 0.0
    for batch in measuring_batches(data, batch_size):
        for place, row in enumerate(batch.rows):
            check_row(batch, place, data.sources[row], data.targets[row])
        shares = batch.weights[batch.weights > 0]
        assert len(set(shares.tolist())) == 1
        assert len(shares) == sum(len(data.targets[row]) for row in batch.rows)
        seen += batch.rows.tolist()
        total += batch.weights.sum(dtype="float64")
    assert sorted(seen) == list(range(45))
    assert total == pytest.approx(1, abs=1e-6)


def test_a_source_without_a_target():
    with pytest.raises(ValueError, match="Received: 2 sources, 1 targets"):
        Pairs([np.ones(2, "int32")] * 2, [np.ones(2, "int32")], BUCKETS, 0, START)
