"""A run that is stopped says so, by its exit code too, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SMALL = (
    "training.epochs=2000",
    "model.encoder.hidden_dim=8",
    "model.encoder.embedding.bigram_buckets=0",
)
BACKEND = next(name for name in ("jax", "torch", "tensorflow") if find_spec(name))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize(
    "number, code, word",
    [
        (signal.SIGTERM, 143, "terminated"),
        (signal.SIGINT, 130, "interrupted"),
    ],
)
def test_a_stopped_run_leaves_nothing(tmp_path, number, code, word):
    kzoo = Path(sys.executable).with_name("kzoo")
    command = [kzoo, "train", "text_classifier", "--backend", BACKEND]
    command += [part for value in SMALL for part in ("--set", value)]
    with subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as process:
        for line in process.stderr:
            if line.startswith("step "):  # It trains.
                break
        process.send_signal(number)
        rest = process.stderr.read()
    assert process.returncode == code, rest
    assert f"Error: {word}." in rest
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
