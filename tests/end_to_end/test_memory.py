"""Memory stays flat while training goes on, and nothing is compiled any more.

KZOO_MEMORY_STEPS asks for a longer look than the few steps of every day: 2000 are what
docs/results.md speaks of.
"""

import json
import os
import sys
from pathlib import Path

import pytest
from helpers.processes import each_backend, succeeds

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "memory.py"
LENGTHS = 3  # of batches; a program for each, one for the update, one for prediction


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@each_backend()
def test_memory_is_flat_and_programs_are_few(backend, tmp_path):
    steps = int(os.environ.get("KZOO_MEMORY_STEPS", "75"))
    options = ["--steps", steps, "--warmup", min(steps, 200), "--backends", backend]
    answer = succeeds("python", SCRIPT, *options, "--json", cwd=tmp_path, timeout=3600)
    [seen] = json.loads(answer)
    assert seen["growth"] <= 0.05, seen
    assert seen["programs_later"] == 0, seen
    assert seen["programs"] == (0 if backend == "torch" else LENGTHS + 2), seen
