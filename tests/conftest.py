"""What all tests share: the backend, quiet frameworks and the folder of corpora."""

import importlib.util
import os
import signal
from pathlib import Path

import hypothesis
import pytest
from helpers.groups import group_of

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


@pytest.hookimpl(optionalhook=True)  # There need be no pytest-xdist.
def pytest_xdist_make_scheduler(config, log):
    """Keep tests that share fixtures in one process of pytest-xdist.

    With `--dist loadgroup`. xdist's own way, a mark that it appends to the names of
    tests, does nothing since pytest 9.2, and says nothing.
    """
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Grouped(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return group_of(nodeid)

    return Grouped(config, log)


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
