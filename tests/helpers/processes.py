"""Running other processes: Keras cannot change its backend within one."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.__main__ import QUICK_XLA

BACKENDS = ("tensorflow", "torch", "jax")
# Before a program that imports Keras, which starts as it does for `kzoo`: quicker.
QUICK_KERAS = """
import os
from kzoo_cli.start import start_keras
start_keras(os.environ["KERAS_BACKEND"])
"""
# Before a program that imports parts of kzoo that know no Keras, which takes seconds.
WITHOUT_KERAS = """
from kzoo_cli.backend import kzoo_without_keras
without_keras = kzoo_without_keras()
without_keras.__enter__()
"""
# Variables of a process whose programs are to be compiled as those of users are.
AS_USERS = {"XLA_FLAGS": os.environ.get("XLA_FLAGS", "").replace(QUICK_XLA, "").strip()}


def each_backend(argument="backend"):
    """Parametrize a test by backend; one that is not installed is skipped."""
    cases = [
        pytest.param(
            name,
            marks=pytest.mark.skipif(
                find_spec(name) is None, reason=f"{name} is not installed"
            ),
        )
        for name in BACKENDS
    ]
    return pytest.mark.parametrize(argument, cases)


def run(*command, cwd, backend=None, timeout=1800, **variables):
    """Run a command to its end.

    Args:
        command: str. Program and arguments; `"python"` is this Python.
        cwd: `Path`. Its working directory.
        backend: str. Its KERAS_BACKEND, or `None` for none.
        timeout: float. Seconds until it counts as hung.
        variables: str. Further environment variables.

    Returns:
        `subprocess.CompletedProcess`, its output as text.
    """
    ours = ("KERAS_BACKEND", "PYTHONPATH")
    environment = {k: v for k, v in os.environ.items() if k not in ours}
    if backend:
        environment["KERAS_BACKEND"] = backend
    scripts = os.path.dirname(sys.executable)
    environment["PATH"] = scripts + os.pathsep + environment.get("PATH", "")
    command = [sys.executable if part == "python" else str(part) for part in command]
    return subprocess.run(
        command,
        cwd=cwd,
        env={"TF_CPP_MIN_LOG_LEVEL": "3", **environment, **variables},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
    )


def succeeds(*command, **options):
    """Run a command that must exit with 0; return what it printed on stdout."""
    done = run(*command, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout
