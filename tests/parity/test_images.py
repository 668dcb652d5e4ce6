"""Models that see: the same answers and the same training on every backend."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.processes import BACKENDS
from tests.parity.image_cases import CASES, PAIRS
from tests.parity.test_saved_models import skip_absent


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("maker, reader", product(BACKENDS, BACKENDS))
def test_loaded_models_see_alike(probes, case, maker, reader):
    skip_absent(maker, reader)
    places = [probes / f"{maker}-{case}-{end}" for end in ("at-home", f"on-{reader}")]
    at_home, abroad = (np.load(f"{place}.npy") for place in places)
    assert np.ptp(at_home) > 0.1
    np.testing.assert_allclose(abroad, at_home, rtol=1e-5, atol=1e-5)
    said = [json.loads(Path(f"{place}.json").read_text()) for place in places]
    assert len(said[0]) == PAIRS
    for one, other in zip(*said, strict=True):
        assert one["label"] == other["label"]
        for label, probability in one["probabilities"].items():
            assert other["probabilities"][label] == pytest.approx(probability, abs=1e-5)


@pytest.mark.parametrize("backend", BACKENDS)
def test_pairs_are_learned_alike(probes, backend):
    skip_absent(backend, "jax")
    losses = np.load(probes / f"{backend}-pairs.npy")
    assert losses[0] == pytest.approx(np.log(PAIRS), abs=2.0)
    assert losses[-1] < 0.3 * losses[0]
    np.testing.assert_allclose(losses, np.load(probes / "jax-pairs.npy"), rtol=1e-4)
