"""Runs one probe process per backend and hands the tests what they wrote."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.helpers.processes import AS_USERS, BACKENDS, succeeds

ROOT = Path(__file__).resolve().parents[2]


def present():
    return [name for name in BACKENDS if find_spec(name) is not None]


@pytest.fixture(scope="session")
def probes(tmp_path_factory):
    """The folder with every backend's numbers; see `tests/parity/probe.py`."""
    if len(present()) < 2:
        pytest.skip("parity compares backends, and fewer than two are installed")
    folder = tmp_path_factory.mktemp("parity")
    for stage in ("compute", "load"):
        for backend in present():
            probe = ("python", "-m", "tests.parity.probe", stage, folder)
            succeeds(*probe, cwd=ROOT, backend=backend, **AS_USERS)
    return folder
