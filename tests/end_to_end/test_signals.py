"""A run that is stopped is saved, says how to go on, and ends as if it never was."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import kills
import numpy as np
import pytest
from helpers.processes import succeeds

BACKENDS = [name for name in ("torch", "jax", "tensorflow") if find_spec(name)]
OTHER = BACKENDS[min(1, len(BACKENDS) - 1)]
SMALL = (
    "training.steps=100000",
    "training.evaluate_every=50000",
    "model.encoder.hidden_dim=8",
    "model.encoder.embedding.bigram_buckets=0",
    "training.log_every=1",
)
RUN = Path("saved_models/text_classifier") / BACKENDS[0]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")


def started(folder):
    """A run that trains, and the file it writes its history to."""
    kzoo = Path(sys.executable).with_name("kzoo")
    command = [kzoo, "train", "text_classifier", "--backend", BACKENDS[0]]
    command += [part for value in SMALL for part in ("--set", value)]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    history = folder / RUN.with_name(f".{RUN.name}.running") / "history.jsonl"
    deadline = time.monotonic() + 1200
    while kills.steps_of(history) < 3:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    return process


def test_sigterm_saves_and_the_run_goes_on_elsewhere(tmp_path):
    process = started(tmp_path)
    process.send_signal(signal.SIGTERM)
    said = process.communicate()[1]
    assert process.returncode == 143, said
    assert "terminated: finishes this step and saves; again ends at once" in said
    last = said.splitlines()[-1]
    assert last.startswith("Error: terminated at step ")
    assert last.endswith(f"it is saved; `kzoo resume {RUN}` continues it.")
    assert not (tmp_path / RUN).exists()
    step = int(last.split()[4].replace(",", ""))
    more = ("--set", f"training.steps={step + 5}", "--backend", OTHER, "--json")
    answer = succeeds("kzoo", "resume", RUN, *more, cwd=tmp_path)
    assert json.loads(answer)["metrics"]["steps"] == step + 5
    parts = json.loads((tmp_path / RUN / "environment.json").read_text())["parts"]
    made = [(part["backend"], part["from_step"]) for part in parts]
    assert made == [(BACKENDS[0], 0), (OTHER, step)]


def test_the_second_signal_ends_at_once_and_nothing_is_corrupt(tmp_path):
    process = started(tmp_path)
    process.send_signal(signal.SIGSTOP)  # So that neither is seen before the other.
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGCONT)
    said = process.communicate()[1]
    # Python runs the handlers one after the other: the second ends the process.
    assert process.returncode == 143, said
    assert "interrupted: finishes this step and saves" in said
    assert "Traceback" not in said and "it is saved" not in said
    more = ("--set", "training.steps=4", "--json")
    answer = succeeds("kzoo", "resume", RUN, *more, cwd=tmp_path)
    assert json.loads(answer)["metrics"]["steps"] == 4


def test_killed_twice_it_has_the_bits_of_a_run_left_alone(tmp_path):
    backend = BACKENDS[0]
    folder, struck = kills.killed_and_resumed(tmp_path / "a", backend, 2, 60, seed=3)
    assert struck  # Twice, unless a small run ends before it is struck again.
    settings = ("training.steps=60", "training.evaluate_every=7")
    kills.finish(kills.train(tmp_path / "b", backend, *settings))
    alone = tmp_path / "b" / "text_classifier" / backend
    for which in ("last", "best"):
        one, other = kills.weights(folder, which), kills.weights(alone, which)
        assert one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)
