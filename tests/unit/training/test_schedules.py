import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kzoo.training.schedules import SHAPES, make_schedule

runs = st.integers(1, 500).flatmap(
    lambda total: st.tuples(st.just(total), st.integers(0, total))
)
names = st.sampled_from(sorted(SHAPES))


def rates(name, total, warmup, peak=1e-3):
    schedule = make_schedule(name, peak, total, warmup)
    return [schedule(step) for step in range(total)]


@given(names, runs)
def test_no_step_is_wasted_and_none_exceeds_the_peak(name, run):
    assert all(0 < rate <= 1e-3 for rate in rates(name, *run))


@given(names, runs)
def test_the_peak_is_the_last_step_of_the_warmup(name, run):
    total, warmup = run
    assert rates(name, total, warmup)[max(warmup, 1) - 1] == 1e-3


@given(names, runs)
def test_climbs_then_never_climbs_again(name, run):
    total, warmup = run
    curve = rates(name, total, warmup)
    climb, fall = curve[: max(warmup, 1)], curve[max(warmup, 1) - 1 :]
    assert climb == sorted(climb)
    assert fall == sorted(fall, reverse=True)


@given(names, runs)
def test_has_no_jumps(name, run):
    """No stride is longer than the steepest slope the curve is meant to have."""
    total, warmup = run
    curve = rates(name, total, warmup, peak=1.0)
    fall = total + 1 - max(warmup, 1)
    steepest = {
        "constant": 0.0,
        "linear": 1 / fall,
        "cosine": math.pi / 2 / fall,
        "inverse_square_root": 0.5 / max(warmup, 1),
    }[name]
    for step, (a, b) in enumerate(itertools.pairwise(curve)):
        stride = 1 / warmup if step + 1 < warmup else steepest
        assert abs(b - a) <= stride + 1e-12


@pytest.mark.parametrize("name", ["linear", "cosine"])
def test_reaches_zero_one_step_after_the_last(name):
    schedule = make_schedule(name, 1e-3, total_steps=100, warmup_steps=10)
    assert schedule(99) > 0
    assert schedule(100) == pytest.approx(0, abs=1e-18)
    assert schedule(1000) == pytest.approx(0, abs=1e-18)


def test_linear_by_hand():
    schedule = make_schedule("linear", 1.0, total_steps=5, warmup_steps=2)
    expected = [0.5, 1.0, 0.75, 0.5, 0.25]
    assert [schedule(step) for step in range(5)] == pytest.approx(expected)


@given(st.integers(0, 10**6))
def test_inverse_square_root_is_vaswanis_formula(step):
    d, warmup, count = 512, 4000, step + 1
    paper = d**-0.5 * min(count**-0.5, count * warmup**-1.5)
    peak = d**-0.5 * warmup**-0.5
    schedule = make_schedule("inverse_square_root", peak, 10**6, warmup)
    assert schedule(step) == pytest.approx(paper, rel=1e-12)


def test_an_unknown_name_is_named():
    with pytest.raises(ValueError, match="name='triangle'"):
        make_schedule("triangle", 1e-3, 10)
