"""One seed, three backends, the same numbers; design section 5's tolerances."""

from itertools import combinations

import numpy as np
import pytest

from tests.helpers.processes import BACKENDS
from tests.parity.conftest import present
from tests.parity.trace import first_difference

CASES = ("bert", "vaswani", "llama", "t5", "sandwich", "seq2seq")
PAIRS = list(combinations(BACKENDS, 2))

pytestmark = [
    pytest.mark.parametrize("case", CASES),
    pytest.mark.parametrize("left, right", PAIRS),
]


@pytest.fixture
def both(probes, case, left, right):
    """The numbers of one case on two backends."""
    absent = {left, right} - set(present())
    if absent:
        pytest.skip(f"{', '.join(absent)} is not installed")
    return [dict(np.load(probes / f"{name}-{case}.npz")) for name in (left, right)]


def group(numbers, kind):
    """The arrays of one kind, by path, in the order in which they were written."""
    start = f"{kind}|"
    return {n.removeprefix(start): v for n, v in numbers.items() if n.startswith(start)}


def test_initial_weights_are_equal_bits(both):
    one, other = (group(numbers, "initial") for numbers in both)
    assert list(one) == list(other)
    assert len(one) > 30
    for path in one:
        np.testing.assert_array_equal(one[path], other[path], err_msg=path)


def test_every_activation_agrees(both):
    one, other = (group(numbers, "activation") for numbers in both)
    assert len(one) > 30
    assert first_difference(one, other) is None


def test_logits_agree(both):
    np.testing.assert_allclose(*(n["logits"] for n in both), rtol=1e-5, atol=1e-5)


def test_gradients_of_every_weight_agree_with_dropout_on(both):
    one, other = (group(numbers, "gradient") for numbers in both)
    assert list(one) == list(other)
    for path in one:
        largest = np.abs(one[path]).max()
        difference = np.abs(one[path] - other[path]).max()
        assert difference <= 1e-4 * largest, (path, difference, largest)


def test_forty_steps_agree_with_dropout_clipping_and_warm_up(both):
    one, other = (group(numbers, "trained") for numbers in both)
    for path in one:
        difference = np.abs(one[path].astype("float64") - other[path]).max()
        assert difference <= 1e-4, (path, difference)
    np.testing.assert_allclose(*(n["losses"] for n in both), rtol=1e-4)


def test_dropout_counters_are_equal(both):
    one, other = (group(numbers, "trained") for numbers in both)
    counters = [path for path in one if path.endswith("/state")]
    assert len(counters) >= 7
    for path in counters:
        np.testing.assert_array_equal(one[path], other[path], err_msg=path)
        assert one[path][1] == 40, path


def test_training_moves_every_weight_but_the_bias_of_keys(both):
    for numbers in both:
        before, after = group(numbers, "initial"), group(numbers, "trained")
        moved = {p for p in before if not np.array_equal(before[p], after[p])}
        assert {p for p in before if not p.endswith("/key/bias")} == moved
        assert np.isfinite(numbers["losses"]).all()


def test_predicted_labels_are_equal(both):
    np.testing.assert_array_equal(*(numbers["predicted"] for numbers in both))
