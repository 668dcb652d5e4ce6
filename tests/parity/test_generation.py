"""Texts of one saved model: those of transformers, and equal on every backend."""

import json
from pathlib import Path

import pytest

from tests.helpers.processes import AS_USERS, succeeds
from tests.parity.conftest import present
from tests.parity.generation_cases import ENDS, LENGTH, cases_on, own_cases

ROOT = Path(__file__).resolve().parents[2]
BACKENDS = ("torch", "jax", "tensorflow")
PROBE = ("python", "-m", "tests.parity.generation_probe")

pytest.importorskip("torch", reason="transformers runs on torch")
pytest.importorskip("transformers", reason="compares with transformers")


def writers():
    return [backend for backend in BACKENDS if backend in present()]


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """What each writes, by model and writer: dicts from a case to texts by source."""
    folder = tmp_path_factory.mktemp("generation")
    run = {"cwd": ROOT, "PYTHONPATH": str(ROOT / "tests"), **AS_USERS}
    succeeds(*PROBE, "theirs", folder, backend="torch", **run)
    for backend in writers():
        succeeds(*PROBE, "ours", folder, backend, backend=backend, **run)
    return {
        (model, writer): json.loads((folder / f"{model}-{writer}.json").read_text())
        for model in ENDS
        for writer in ("theirs", *writers())
    }


@pytest.mark.parametrize("model", ENDS)
@pytest.mark.parametrize(
    "backend, case",
    [(backend, case) for backend in BACKENDS for case in cases_on(backend)],
)
def test_texts_are_those_of_transformers(texts, case, model, backend):
    if backend not in writers():
        pytest.skip(f"{backend} is not installed")
    found, expected = texts[model, backend][case], texts[model, "theirs"][case]
    pairs = enumerate(zip(found, expected, strict=True))
    assert [row for row, (mine, theirs) in pairs if mine != theirs] == []


@pytest.mark.parametrize("model", ENDS)
@pytest.mark.parametrize("case", own_cases())
def test_texts_are_equal_on_every_backend(texts, case, model):
    first, *others = (texts[model, backend][case] for backend in writers())
    for other in others:
        assert [row for row in range(len(first)) if first[row] != other[row]] == []


@pytest.mark.parametrize("model", ENDS)
def test_texts_differ_and_some_end(texts, model):
    """Or the comparisons above would say little."""
    for case in ("greedy, plain", "beams, plain", "beams, short"):
        best = [tuple(row[0]) for row in texts[model, "theirs"][case]]
        assert len(set(best)) > 20
    every = [text for row in texts[model, "theirs"]["beams, plain"] for text in row]
    assert 0.005 < sum(len(text) < LENGTH for text in every) / len(every) < 0.95
