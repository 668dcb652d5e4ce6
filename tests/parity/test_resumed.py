"""A training begun on one backend and resumed on another, or in a new process."""

from itertools import product

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.helpers.processes import BACKENDS
from tests.parity.conftest import present


@pytest.mark.parametrize("maker, other", product(BACKENDS, BACKENDS))
def test_resumed_training_ends_where_its_own_backend_does(probes, maker, other):
    absent = {maker, other} - set(present())
    if absent:
        pytest.skip(f"{', '.join(absent)} is not installed")
    own = load_file(probes / f"{maker}-whole" / "state.safetensors")
    resumed = load_file(probes / f"{maker}-resumed-on-{other}" / "state.safetensors")
    assert resumed.keys() == own.keys()
    assert len(resumed) > 90  # weights, two moments of each, counters
    for name, expected in own.items():
        if maker == other:
            np.testing.assert_array_equal(resumed[name], expected, err_msg=name)
        difference = np.abs(resumed[name].astype("float64") - expected).max()
        assert difference <= 1e-4, (name, difference)
