"""One saved file, nine pairs of backends: the same answers everywhere."""

import json
from itertools import chain, product

import ml_dtypes
import numpy as np
import pytest

from kzoo.parity.comparison import tolerances
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
NINE = list(product(BACKENDS, BACKENDS))
TEXTS = 8


def skip_absent(*names):
    absent = set(names) - set(present())
    if absent:
        pytest.skip(f"{', '.join(absent)} is not installed")


def answers_of(probes, case, maker, reader):
    """What a maker's model said at home and on the reader's backend, which are here."""
    skip_absent(maker, reader)
    return [
        json.loads((probes / f"{maker}-{case}-on-{name}.json").read_text())
        for name in (maker, reader)
    ]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("maker, reader", NINE)
def test_loaded_logits_agree(probes, case, maker, reader):
    skip_absent(maker, reader)
    at_home = np.load(probes / f"{maker}-{case}-on-{maker}.npy")
    abroad = np.load(probes / f"{maker}-{case}-on-{reader}.npy")
    np.testing.assert_allclose(abroad, at_home, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("case", CASES[:6])
@pytest.mark.parametrize("maker, reader", NINE)
def test_loaded_models_answer_alike(probes, case, maker, reader):
    at_home, abroad = answers_of(probes, case, maker, reader)
    assert len(at_home) == len(abroad) == TEXTS
    for one, other in zip(at_home, abroad, strict=True):
        assert one["label"] == other["label"]
        assert one["truncated"] == other["truncated"]
        for label, probability in one["probabilities"].items():
            assert other["probabilities"][label] == pytest.approx(probability, abs=1e-5)
    assert at_home[-1]["truncated"] and not at_home[0]["truncated"]


@pytest.mark.parametrize("maker, reader", NINE)
def test_loaded_taggers_tag_alike(probes, maker, reader):
    at_home, abroad = answers_of(probes, "crf", maker, reader)
    assert [len(words) for words in at_home] == [9, 9, 8, 0, 0, 1, 1, 200]
    words = zip(chain.from_iterable(at_home), chain.from_iterable(abroad), strict=True)
    for one, other in words:
        assert one["tag"] == other["tag"]
        assert one["score"] == pytest.approx(other["score"], abs=1e-5)


@pytest.mark.parametrize("maker, reader", NINE)
def test_loaded_models_fill_in_masks_alike(probes, maker, reader):
    at_home, abroad = answers_of(probes, "masked_lm", maker, reader)
    assert [len(masks) for masks in at_home] == [1, 1, 1, 1]
    for [one], [other] in zip(at_home, abroad, strict=True):
        pairs = zip(one["candidates"], other["candidates"], strict=True)
        for ours, theirs in pairs:
            assert ours["id"] == theirs["id"]
            assert ours["probability"] == pytest.approx(theirs["probability"], abs=1e-5)


@pytest.mark.parametrize("maker, reader", NINE)
def test_loaded_models_write_alike(probes, maker, reader):
    at_home, abroad = answers_of(probes, "copy", maker, reader)
    assert len({answer["summary"] for answer in at_home}) > 3
    assert [answer["empty"] for answer in at_home] == [n in (3, 4) for n in range(8)]
    for one, other in zip(at_home, abroad, strict=True):
        assert one.pop("score") == pytest.approx(other.pop("score"), abs=1e-5)
        assert one == other


@pytest.mark.parametrize("backend", BACKENDS)
def test_bfloat16_is_finite_and_near_float32(probes, backend):
    skip_absent(backend)
    half = np.load(probes / f"{backend}-bfloat16.npy")
    full = np.load(probes / f"{backend}-llama.npz")["logits"]
    assert np.isfinite(half).all()
    depth = 2 * 2 + 2  # sub-layers of two blocks, and the head
    limits = tolerances(precision="mixed_bfloat16", depth=depth)
    assert limits["logits"] == depth * float(ml_dtypes.finfo("bfloat16").eps)
    assert np.abs(half - full).max() <= limits["logits"] * np.abs(full).max()
