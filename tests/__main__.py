"""`python -m tests`: every suite, on every installed backend.

Keras chooses its backend when it starts, so each backend gets a pytest of its own.
Suites that do not depend on the backend run once, and so do those that start
processes of their own. Options go on to pytest: `python -m tests -x -k attention`.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BACKENDS = ("jax", "tensorflow", "torch")
QUICKEST = ("torch", "jax", "tensorflow")  # to start and to try something small
# In this order: what takes longest begins, so that no worker is left alone with it.
ONCE = (
    "parity",
    "end_to_end",
    "fuzz",
    "unit/cli",
    "unit/data",
    "unit/house",
    "unit/logs",
    "unit/metrics",
    "unit/plots",
    "unit/recipes",
    "unit/reports",
    "unit/safety",
    "unit/search",
    "unit/text",
    "unit/tokenizers",
)
QUICK_XLA = "--xla_backend_optimization_level=0"
NO_TESTS = 5  # pytest's exit code when nothing was selected


def suites():
    """Every folder of tests, as paths from `tests`: `unit/layers`, `parity`, …"""
    tests = ROOT / "tests"
    folders = [*tests.glob("*/"), *tests.glob("unit/*/")]
    names = (folder.relative_to(tests).as_posix() for folder in folders)
    own = ("unit", "helpers")
    return sorted(name for name in names if name not in own and name[0] not in "._")


def installed():
    """The backends that can be imported here."""
    return [name for name in BACKENDS if find_spec(name) is not None]


def plan(backends, all_suites):
    """Return what to run: a name, the environment and the suites of each pytest."""
    per_backend = [name for name in suites() if name not in ONCE]
    runs = [(f"on {name}", {"KERAS_BACKEND": name}, per_backend) for name in backends]
    if all_suites:
        backend = next(name for name in QUICKEST if name in backends)
        runs.insert(0, ("once", {"KERAS_BACKEND": backend}, [*ONCE]))
    return runs


def workers(options):
    """Return how to run tests in parallel, unless `options` say how.

    What must stay in one process is grouped in tests/conftest.py. Groups start in the
    order of the suites.
    """
    own = ("-n", "--numprocesses", "-p", "-s", "--pdb", "--capture")
    asked = any(option.startswith(own) for option in options)
    if asked or find_spec("xdist") is None:
        return []
    count = str(min(4, os.cpu_count() or 1))
    return ["-n", count, "--dist", "loadgroup", "--no-loadscope-reorder"]


def compilation_cache(folder):
    """Variables by which all processes of JAX share what they compile.

    Hundreds of tests compile the same small programs. Who has named a cache keeps it.
    """
    if "JAX_COMPILATION_CACHE_DIR" in os.environ:
        return {}
    return {
        "JAX_COMPILATION_CACHE_DIR": folder,
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }


def quick_compilation():
    """Variables by which XLA, below JAX and TensorFlow, compiles in half the time.

    The code is slower then, but tests run it a few times only. Where numbers are to be
    those of users, as in tests/parity, processes get `AS_USERS` of
    tests/helpers/processes.py.
    """
    flags = os.environ.get("XLA_FLAGS", "")
    own = flags if QUICK_XLA.partition("=")[0] in flags else f"{flags} {QUICK_XLA}"
    return {"XLA_FLAGS": own.strip()}


def run_pytest(environment, folders, options):
    """Run pytest, passing on what it prints.

    Returns:
        Its exit code and its closing line.
    """
    command = [sys.executable, "-m", "pytest", *options]
    if sys.stdout.isatty():
        command.append("--color=yes")
    command += [f"tests/{folder}" for folder in folders]
    closing = ""
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            closing = line.strip() or closing
    return process.returncode, closing


def main(arguments=None):
    """Run the suites and return the exit code: 0 if every test passed."""
    parser = argparse.ArgumentParser(
        "python -m tests",
        description="Run every suite on every installed backend.",
        epilog="Further options go on to pytest, as in: -x -k attention",
    )
    parser.add_argument(
        "--backend",
        choices=BACKENDS,
        action="append",
        help="only the suites that depend on the backend, on this one; may repeat",
    )
    asked, options = parser.parse_known_args(arguments)
    backends = asked.backend or installed()
    if not backends:
        parser.error('no backend is installed; pip install -e ".[jax]" brings one')
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        return run_all(backends, asked.backend is None, options, folder)


def run_all(backends, all_suites, options, folder):
    """Run what was asked for, print a line for each pytest, return the exit code."""
    summary, codes = [], []
    for name, environment, folders in plan(backends, all_suites):
        started = time.monotonic()
        environment = {
            **compilation_cache(folder),
            **quick_compilation(),
            **environment,
        }
        more = workers(options)
        if more:  # A core each; PyTorch's threads would fight over them.
            environment = {"OMP_NUM_THREADS": "1", **environment}
        code, closing = run_pytest(environment, folders, [*options, *more])
        minutes, seconds = divmod(round(time.monotonic() - started), 60)
        summary.append(f"{name:14} {minutes:2}:{seconds:02}  {closing.strip('= ')}")
        codes.append(code)
        if code not in (0, NO_TESTS) and {"-x", "--exitfirst"} & set(options):
            break
    print("", *summary, sep="\n")
    failed = [code for code in codes if code not in (0, NO_TESTS)]
    if failed:
        return failed[0]
    return NO_TESTS if set(codes) == {NO_TESTS} else 0


if __name__ == "__main__":
    sys.exit(main())
