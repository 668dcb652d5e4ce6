"""What all tests share: the backend, quiet frameworks and the folder of corpora."""

import importlib.util
import os
import signal
from pathlib import Path

import hypothesis
import pytest

# Before anything imports Keras, which reads the variable once.
if "KERAS_BACKEND" not in os.environ:
    for name in ("jax", "tensorflow", "torch"):
        if importlib.util.find_spec(name) is not None:
            os.environ["KERAS_BACKEND"] = name
            break
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

# Shells start background jobs with Ctrl-C ignored, and children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A loaded machine is not a failing test.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")


@pytest.hookimpl(tryfirst=True)  # pytest-xdist reads the marks next.
def pytest_collection_modifyitems(items):
    """Say which tests share fixtures and so run in one process of pytest-xdist.

    As a rule those of a file; all of tests/parity, whose probes cost minutes; or what a
    test says of itself.
    """
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            parity = item.path.parent.name == "parity"
            name = "parity" if parity else item.path.stem
            item.add_marker(pytest.mark.xdist_group(name))


@pytest.fixture(scope="session")
def corpora():
    """The folder with the public corpora, such as `sst2/`, that kzoo cannot ship.

    The environment variable KZOO_DATA names it; without it, they may lie beside the
    checkout.
    """
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("KZOO_DATA") or beside)
    if not folder.is_dir():
        pytest.skip(f"the public corpora are not here: KZOO_DATA names no {folder}")
    return folder
