"""One seed, three backends, the same numbers; design section 5's tolerances."""

from itertools import combinations

import numpy as np
import pytest

from kzoo.parity.comparison import compare, first_difference, tolerances
from tests.helpers.processes import BACKENDS
from tests.parity.conftest import present

CASES = (
    "bert",
    "vaswani",
    "llama",
    "t5",
    "deberta",
    "sandwich",
    "crf",
    "masked_lm",
    "seq2seq",
    "copy",
)
SHALLOW = ("bert", "vaswani", "sandwich", "crf", "masked_lm")  # of one layer
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


def test_everything_agrees(both, case):
    """Weights, layers, gradients with dropout on, forty steps, counters, labels."""
    rows = compare(*both, tolerances())
    assert first_difference(rows) is None
    for kind in ("initial", "activation", "gradient", "trained"):
        least = 18 if case in SHALLOW else 26
        assert sum(row.kind == kind for row in rows) >= least, kind
    assert {row.kind for row in rows} == set(tolerances())


def test_no_trained_weight_strays(both):
    """Stricter than `compare`, which lets one entry in a thousand go its own way."""
    one, other = (group(numbers, "trained") for numbers in both)
    for path in one:
        difference = np.abs(one[path].astype("float64") - other[path]).max()
        assert difference <= 1e-4, (path, difference)


def test_layers_finish_in_the_same_order(both):
    one, other = (group(numbers, "activation") for numbers in both)
    assert list(one) == list(other)


def test_dropout_counters_count_the_steps(both, case):
    for numbers in both:
        counters = group(numbers, "counters")
        assert len(counters) >= (4 if case in SHALLOW else 7)
        for path, state in counters.items():
            # Its Longformer attends of global tokens and of all others, one by one.
            twice = case == "sandwich" and path.endswith("/attention/dropout/state")
            assert path.endswith("/state") and state[1] == (80 if twice else 40), path


def test_training_moves_every_weight_but_the_bias_of_keys(both):
    for numbers in both:
        before = group(numbers, "initial")
        after = group(numbers, "trained") | group(numbers, "counters")
        moved = {p for p in before if not np.array_equal(before[p], after[p])}
        assert {p for p in before if not p.endswith("/key/bias")} == moved
        assert np.isfinite(numbers["losses"]).all()
