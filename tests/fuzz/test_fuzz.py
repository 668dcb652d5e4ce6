"""A few hundred broken files of each kind; `python -m tests.fuzz` takes thousands.

`KZOO_FUZZ` is how many of each, `KZOO_FUZZ_SEED` which.
"""

import json
import os
import random
import subprocess
import sys

import pytest

from tests.fuzz.__main__ import KINDS, ROOT, fuzz
from tests.fuzz.targets import TARGETS

COUNT = int(os.environ.get("KZOO_FUZZ", "150"))
SEED = int(os.environ.get("KZOO_FUZZ_SEED", "1"))


@pytest.mark.parametrize("kind", KINDS)
def test_broken_files_are_answered_or_refused(kind):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    findings, counts = fuzz(kind, SEED, COUNT)
    assert not findings, json.dumps(findings, indent=1)
    assert counts["cases"] == COUNT
    assert counts["refused"] > COUNT / 3  # The mutations do break something.


ABORTS = """
import os
from tests.fuzz import targets, worker
def crash(rng, folder):
    if rng.random() < 0.2:
        os.abort()
    raise ZeroDivisionError if rng.random() < 0.2 else worker.KzooError("No.")
targets.TARGETS["csv"] = crash
worker.main("csv", "0", "0", "50")
"""


def test_a_crash_is_seen():
    """The process that aborts has said at which case."""
    done = subprocess.run(
        [sys.executable, "-c", ABORTS], cwd=ROOT, capture_output=True, text=True
    )
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode != 0 and "done" not in said[-1]
    rng = random.Random(f"0/csv/{said[-1]['at']}")
    assert rng.random() < 0.2


def test_a_case_is_the_same_each_time(tmp_path):
    """Seed, kind and number tell the file to the byte."""
    written = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        with pytest.raises(ValueError):
            TARGETS["recipes"](random.Random("1/recipes/7"), folder)
        written.append((folder / "recipe.toml").read_bytes())
    assert written[0] == written[1]
