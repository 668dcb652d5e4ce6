"""Killing a training at random moments: does it end as if nothing had happened?

python -m tests.end_to_end.kills --backend jax --kills 10    # kill -9, then resume
python -m tests.end_to_end.kills --pairs                     # resume on other backends

The process is killed at random times, in steps, evaluations and checkpoints alike, and
resumed by `kzoo resume`, until it is done; dropout is on. Then every array of the last
and of the best checkpoint has the bits of the run that was left alone. With `--pairs`,
a run that was killed is resumed on another backend, and its weights after 20 more
steps are within 1e-4 of those of its own.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

KZOO = Path(sys.executable).with_name("kzoo")
SMALL = (
    "training.batch_size=16",
    "model.encoder.hidden_dim=16",
    "model.encoder.intermediate_dim=16",
    "model.encoder.embedding.bigram_buckets=64",
    "tokenizer.vocabulary_size=500",
    "data.sequence_length=24",
    "training.keep_checkpoints=3",
)


def command(*arguments, backend):
    """Start `kzoo` with arguments; its words go to a pipe."""
    environment = {k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"}
    return subprocess.Popen(
        [KZOO, *map(str, arguments), "--backend", backend],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=environment,
        text=True,
    )


def train(output, backend, *settings):
    changes = [part for text in (*SMALL, *settings) for part in ("--set", text)]
    start = ("train", "text_classifier", "--output", output)
    return command(*start, *changes, backend=backend)


def resume(folder, backend):
    return command("resume", folder, backend=backend)


def finish(process):
    _, said = process.communicate()
    assert process.returncode == 0, said
    return said


def steps_of(history):
    """The last step that a run wrote to its history."""
    try:
        lines = history.read_text().splitlines()
        return max((json.loads(line)["step"] for line in lines[:-1]), default=0)
    except (OSError, ValueError):
        return 0


def kill_at(process, history, step, pause=0.0):
    """kill -9 once the history has reached `step`; False if the process ended."""
    while steps_of(history) < step:
        if process.poll() is not None:
            return False
        time.sleep(0.002)
    time.sleep(pause)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL


def weights(folder, which):
    """The state of a checkpoint of a complete run: "best" or "last"."""
    metrics = json.loads((folder / "metrics.json").read_text())
    step = metrics["best_step" if which == "best" else "steps"]
    return load_file(folder / "checkpoints" / f"step-{step:08}" / "state.safetensors")


def largest_difference(one, other):
    assert one.keys() == other.keys()
    return max(np.abs(one[n].astype("float64") - other[n]).max() for n in one)


def killed_and_resumed(output, backend, kills, total, seed=0):
    """Train `total` steps with so many kills.

    Returns:
        The run's folder and the steps at which it was killed.
    """
    rng = random.Random(seed)
    settings = (
        f"training.steps={total}",
        f"training.evaluate_every={max(total // 8, 1)}",
        "training.log_every=1",
        f"training.checkpoint_every={max(total // 20, 1)}",
    )
    folder = output / "text_classifier" / backend
    history = folder.with_name(f".{backend}.running") / "history.jsonl"
    process, struck = train(output, backend, *settings), []
    for target in sorted(rng.sample(range(1, total), kills)):
        target = max(target, steps_of(history))
        if not kill_at(process, history, target, rng.uniform(0, 0.03)):
            break  # It ended first.
        if (folder / "metrics.json").exists():
            return folder, struck  # It had ended, too: only its exit was killed.
        struck.append(steps_of(history))
        process = resume(folder, backend)
        history_of_resumed(process)
    finish(process)
    return folder, struck


def history_of_resumed(process):
    """Wait until a resumed run trains: until then its history is the old one."""
    said = []
    for line in process.stderr:
        if line.startswith("continues"):  # A long path goes to the next line.
            return
        said.append(line)
    raise AssertionError(f"it did not resume: {''.join(said)}")


def compare(backend, kills, total, seed):
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        folder, struck = killed_and_resumed(place, backend, kills, total, seed)
        killed = place / "killed"
        shutil.copytree(folder, killed)
        shutil.rmtree(folder)
        settings = (
            f"training.steps={total}",
            f"training.evaluate_every={max(total // 8, 1)}",
        )
        finish(train(place, backend, *settings))
        for which in ("last", "best"):
            one, other = weights(killed, which), weights(folder, which)
            for name in one:
                np.testing.assert_array_equal(one[name], other[name], err_msg=name)
        print(
            f"{backend}: killed {len(struck)} times, after the records of steps "
            f"{', '.join(map(str, struck))}; {len(one)} arrays of the last and the "
            "best checkpoint have equal bits",
            flush=True,
        )


def pairs(backends, made=20, more=20):
    """Each backend's run, resumed on each other one."""
    settings = (
        f"training.steps={made + more}",
        f"training.evaluate_every={made}",
        "training.log_every=1",
    )
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        for backend in backends:
            output = place / backend
            process = train(output, backend, *settings)
            folder = output / "text_classifier" / backend
            running = folder.with_name(f".{backend}.running")
            kill_at(process, running / "history.jsonl", made + 1)
            for other in backends:
                copy = place / f"{backend}-{other}" / "text_classifier"
                shutil.copytree(output / "text_classifier", copy)
                said = finish(resume(copy / backend, other))
                assert f"after step {made} of" in said, said
            own = weights(
                place / f"{backend}-{backend}/text_classifier/{backend}", "last"
            )
            for other in backends:
                found = place / f"{backend}-{other}/text_classifier/{backend}"
                difference = largest_difference(weights(found, "last"), own)
                assert difference <= 1e-4, (backend, other, difference)
                print(f"{backend} resumed on {other}: {difference:.1e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", action="append")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--steps", type=int, default=160)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pairs", action="store_true")
    asked = parser.parse_args()
    backends = asked.backend or ["jax", "tensorflow", "torch"]
    if asked.pairs:
        pairs(backends)
    else:
        for backend in backends:
            compare(backend, asked.kills, asked.steps, asked.seed)


if __name__ == "__main__":
    main()
