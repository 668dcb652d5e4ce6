"""An epoch of `sst2_minilm`, end to end, against transformers' Trainer, in one run.

    python benchmarks/fine_tuning.py DATA CHECKPOINT [--rounds 3] [--steps 60] [--json]

DATA holds SST-2 as `train.csv`, `dev.csv` and `test.csv` with the columns `text` and
`label`, CHECKPOINT is the folder of all-MiniLM-L6-v2. Each contestant reads the rows,
tokenizes them, fine-tunes the encoder for an epoch or `--steps` of it, evaluates on
dev, saves the model and measures it on test: kzoo on each backend, compiling included,
and the Trainer with dynamic padding, which needs `pip install accelerate`. Batch, rate,
schedule, warm-up, decay and clipping are the same. Each run is a process of its own,
whose imports are not counted; contestants take turns. Those whose accuracy is not that
of the Trainer, within two points, are not compared. `--steps` is for a first look: so
few steps need not reach equal accuracies, and none are asked for.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

from contestants import once

BASELINE = "transformers:torch"
WORKER = "fine_tuning_worker.py"
APART = 0.02  # three standard errors of a share of 1,821 rows


def measure(backends, settings, rounds, say):
    """What every contestant needs and reaches, medians over the rounds."""
    contestants = (BASELINE, *(f"kzoo:{backend}" for backend in backends))
    found = {contestant: [] for contestant in contestants}
    for number in range(rounds):
        for contestant in contestants:
            found[contestant].append(once(contestant, WORKER, settings))
            last = found[contestant][-1]
            say(
                f"round {number + 1} of {rounds}, {contestant}: "
                f"{last['seconds']:.1f} s, accuracy {last['accuracy']:.3f}"
            )
    rows = {
        contestant: {
            key: statistics.median(run[key] for run in runs)
            for key in ("seconds", "accuracy", "steps")
        }
        for contestant, runs in found.items()
    }
    theirs = rows[BASELINE]
    for contestant, row in rows.items():
        apart = abs(row["accuracy"] - theirs["accuracy"])
        if row["steps"] != theirs["steps"] or (apart > APART and not settings["steps"]):
            raise SystemExit(
                f"{contestant} reaches {row['accuracy']:.3f} in {row['steps']} steps, "
                f"{BASELINE} {theirs['accuracy']:.3f} in {theirs['steps']}: that is "
                "not the same work"
            )
        row["ratio"] = theirs["seconds"] / row["seconds"]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("checkpoint")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--backends", default="torch,jax,tensorflow")
    parser.add_argument("--steps", type=int, help="of the epoch; all unless given")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    settings = {
        "data": str(Path(asked.data).resolve()),
        "checkpoint": str(Path(asked.checkpoint).resolve()),
        "steps": asked.steps,
        "batch_size": 32,
        "learning_rate": 1e-4,
    }
    rows = measure(
        asked.backends.split(","),
        settings,
        asked.rounds,
        lambda text: print(text, file=sys.stderr),
    )
    if asked.json:
        print(json.dumps({"settings": settings, "contestants": rows}, indent=1))
        return
    print(f"{'contestant':20} {'seconds':>8} {'ratio':>6} {'accuracy':>9} {'steps':>6}")
    for contestant, row in rows.items():
        print(
            f"{contestant:20} {row['seconds']:8.1f} {row['ratio']:6.2f} "
            f"{row['accuracy']:9.3f} {row['steps']:6.0f}"
        )


if __name__ == "__main__":
    main()
