"""Does training leak? Memory and compiled programs over many steps.

    python benchmarks/memory.py [--steps 2000] [--warmup 200] [--backends jax] [--json]

Each backend is a process of its own. It trains a small classifier on rows of many
lengths with dropout, gradient accumulation and a moving average, and now and then
predicts, reads the whole state and puts the weights into the model, as a run does.
After the warm-up its memory must stay within 5 % and nothing may be compiled any more;
otherwise the exit code is 1. Reads /proc, so it needs Linux.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

BACKENDS = ("tensorflow", "torch", "jax")
BUCKETS = [8, 16, 32]
EVERY = 25  # steps between looks at the memory, and between evaluations
MOST_GROWTH = 0.05


def resident_bytes():
    """The memory of this process that is in RAM."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def watch(steps, warmup):
    """Train and return what was seen, as JSON takes it."""
    from kzoo_cli.start import start_keras

    start_keras(os.environ["KERAS_BACKEND"])
    import keras
    import numpy as np

    from kzoo.data.batches import TrainingBatches, pad
    from kzoo.layers import TransformerEncoder
    from kzoo.models import TextClassifier
    from kzoo.training.averaging import Average
    from kzoo.training.losses import make_loss
    from kzoo.training.optimizer import AdamW
    from kzoo.training.steppers import make_stepper

    generator = np.random.default_rng(7)
    lengths = generator.integers(1, BUCKETS[-1] + 1, 1000)
    texts = [generator.integers(5, 2000, length, "int32") for length in lengths]
    labels = generator.integers(0, 3, len(texts))
    batches = TrainingBatches(texts, labels, 32, BUCKETS, 0, 7, accumulation=4)
    model = TextClassifier(TransformerEncoder(2000, 1, 2, 32, 64), 3)
    stepper = make_stepper(
        model, make_loss("cross_entropy"), AdamW(), Average(decay=0.99)
    )
    held = pad(texts[:32], BUCKETS[-1], 0)
    seen, compiled = [], 0
    for step in range(warmup + steps):
        loss = stepper.train(batches.at(step), 1e-3)
        if step % EVERY == 0:
            float(loss)
            stepper.predict(held)
            stepper.state()
            stepper.sync()
        if step + 1 == warmup:
            compiled = stepper.compilations
        if step + 1 >= warmup and (step + 1 - warmup) % EVERY == 0:
            seen.append(resident_bytes())
    return {
        "backend": keras.backend.backend(),
        "steps": steps,
        "megabytes": round(seen[0] / 2**20, 1),
        "growth": max(seen) / seen[0] - 1,
        "programs": compiled,
        "programs_later": stepper.compilations - compiled,
    }


def watched(backend, steps, warmup):
    """`watch` in a process on `backend`."""
    options = ["--steps", str(steps), "--warmup", str(warmup), "--here"]
    answer = subprocess.run(
        [sys.executable, __file__, *options],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        env=os.environ | {"KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"},
    ).stdout
    return json.loads(answer.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--warmup", type=int, default=200)
    parser.add_argument("--backends", default=",".join(BACKENDS))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        print(json.dumps(watch(arguments.steps, arguments.warmup)))
        return
    rows = [
        watched(backend, arguments.steps, arguments.warmup)
        for backend in arguments.backends.split(",")
    ]
    if arguments.json:
        print(json.dumps(rows, indent=1))
    else:
        for row in rows:
            print(
                f"{row['backend']:11} {row['megabytes']:7.1f} MB after the warm-up, "
                f"{row['growth']:+.1%} over {row['steps']:,} steps; "
                f"{row['programs']} programs, {row['programs_later']} more later"
            )
    leaks = [r for r in rows if r["growth"] > MOST_GROWTH or r["programs_later"]]
    sys.exit(1 if leaks else 0)


if __name__ == "__main__":
    main()
