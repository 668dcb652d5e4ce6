"""The comparison itself: it must find what is wrong, and name where it begins."""

import math

import numpy as np
import pytest

from kzoo.parity.comparison import (
    MEASURES,
    TOLERANCES,
    WORDS,
    compare,
    first_difference,
    tolerances,
)
from kzoo.parity.numbers import Archive
from kzoo.parity.trace import recorded
from tests.parity import cases


def trace_of(model):
    with recorded(model) as trace:
        model(cases.batch("llama", 0).inputs, training=False)
    return {f"activation|{name}": values for name, values in trace.items()}


def difference(one, other):
    return first_difference(compare(one, other, tolerances()))


def test_the_first_wrong_layer_is_named():
    model = cases.build("llama")
    expected = trace_of(model)
    weight = model.encoder.blocks[1].feed_forward.gate_dense.kernel
    weight.assign(np.asarray(weight) * 1.01)
    sentence = difference(trace_of(model), expected)
    assert sentence.startswith(
        "first differing activation: encoder/block_1/feed_forward/gate (by "
    )
    assert sentence.endswith("where 1e-05 is allowed)")


def test_equal_traces_have_no_difference():
    model = cases.build("llama")
    assert difference(trace_of(model), trace_of(model)) is None


# What the tolerance of each kind is multiplied by at the number -4.
SCALES = {"activation": 5, "logits": 5, "gradient": 4, "losses": 4, "trained": 1}


@pytest.mark.parametrize("kind", MEASURES)
def test_every_kind_is_held_to_its_tolerance(kind):
    values = np.array([2.0, -4.0, 0.0])
    room = TOLERANCES["cpu"][kind] * SCALES.get(kind, 0)
    for moved, agrees in ((0.0, True), (0.9 * room, True), (1.1 * room + 1e-9, False)):
        other = values + np.array([0.0, moved, 0.0])
        [row] = compare({f"{kind}|x": values}, {f"{kind}|x": other}, tolerances())
        assert row.agrees == agrees, row
    other = np.array([2.0, np.nan, 0.0])
    [row] = compare({f"{kind}|x": values}, {f"{kind}|x": other}, tolerances())
    assert not row.agrees


def test_gradients_are_measured_by_the_largest_entry_of_the_weight():
    one = {
        "gradient|big": np.array([1.0, 2.0]),
        "gradient|small": np.array([1e-6, 0.0]),
    }
    other = {name: values * 1.001 for name, values in one.items()}
    big, small = compare(one, other, tolerances())
    assert big.difference == pytest.approx(1e-3)
    # Its largest entry lies below a ten-thousandth of the model's largest one.
    assert small.difference == pytest.approx(1e-9 / 2e-4)
    assert small.agrees and not big.agrees


def test_one_trained_entry_in_a_thousand_may_stray():
    one = {"trained|a": np.zeros(5000)}
    other = np.full(5000, 1e-6)
    other[:5] = 0.01
    assert difference(one, {"trained|a": other}) is None
    other[5] = 0.01
    assert "first differing trained weight: a" in difference(one, {"trained|a": other})
    few = np.where(np.arange(5000) < 20, 1e-3, 0.0)  # Untouched entries do not count.
    assert difference(one, {"trained|a": few}) is not None


def test_what_only_one_of_them_has_is_a_difference():
    one, other = {"trained|a": np.ones(2)}, {"trained|a": np.ones(3)}
    assert "in another shape" in difference(one, other)
    assert difference(one, {}) == difference(one, other)
    assert difference({}, one) == difference(one, other)
    infinite = {"trained|a": np.array([1.0, np.inf])}
    assert "not a finite number" in difference(one, infinite)


def test_everything_has_words_measure_and_tolerance():
    assert list(WORDS) == list(MEASURES)
    for limits in TOLERANCES.values():
        assert list(limits) == list(MEASURES)


def test_a_gpu_gets_more_room_and_bfloat16_its_own_rounding():
    cpu, gpu = tolerances(["cpu", "cpu"]), tolerances(["cpu", "NVIDIA H200"])
    assert all(cpu[kind] <= gpu[kind] for kind in cpu)
    half = tolerances(precision="mixed_bfloat16", depth=6)
    assert half["activation"] == 6 * 2**-7
    assert half["trained"] is None
    assert half["initial"] == 0
    rows = compare({"trained|a": np.ones(2)}, {"trained|a": np.zeros(2)}, half)
    assert first_difference(rows) is None
    rows = compare({"trained|a": np.ones(2)}, {"trained|a": np.full(2, math.nan)}, half)
    assert first_difference(rows) is not None


def test_an_archive_is_read_as_it_was_written(tmp_path):
    with Archive(tmp_path / "a.npz") as archive:
        archive["gradient|encoder/kernel"] = np.eye(3, dtype="float32")
        archive["losses"] = [1.0, 2.0]
    with np.load(tmp_path / "a.npz") as read:
        assert list(read) == ["gradient|encoder/kernel", "losses"]
        np.testing.assert_array_equal(read["gradient|encoder/kernel"], np.eye(3))
