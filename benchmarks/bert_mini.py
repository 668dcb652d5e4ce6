"""kzoo against its peers on one BERT-mini, interleaved in one run.

    python benchmarks/bert_mini.py [--rounds 7] [--contestants kzoo:jax,…] [--json]

Every contestant is a process of its own that builds the same shape (4 layers, 256
wide, 4 heads, 1,024 in between, vocabulary 30,522, batch 32 × 128 tokens, dropout 0.1,
AdamW, clipping at 1) and warms up. Then they take turns, a few steps each, one at a
time, so that a machine whose speed drifts treats all alike. Printed are medians as
ratios to transformers on torch, and as shares of the machine's own matmul rate.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

BASELINE = "transformers:torch"
CONTESTANTS = (
    BASELINE,
    "kzoo:jax",
    "kzoo:tensorflow",
    "kzoo:torch",
    "keras-hub:jax",
    "keras-hub:tensorflow",
    "keras-hub:torch",
)
STEPS = {"train": 3, "forward": 6}  # per turn

BATCH, LENGTH, LAYERS, WIDTH, INNER = 32, 128, 4, 256, 1024
TOKENS = BATCH * LENGTH
FORWARD_FLOPS = LAYERS * (
    2 * TOKENS * (4 * WIDTH**2 + 2 * WIDTH * INNER) + 4 * TOKENS * LENGTH * WIDTH
)
FLOPS = {"train": 3 * FORWARD_FLOPS, "forward": FORWARD_FLOPS}


class Worker:
    """A contestant's process, which answers one request at a time."""

    def __init__(self, contestant):
        self.contestant = contestant
        backend = contestant.split(":")[1]
        environment = os.environ | {
            "KERAS_BACKEND": backend,
            "TF_CPP_MIN_LOG_LEVEL": "3",
        }
        self.process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("worker.py"), contestant],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, request, steps):
        """Return seconds per step of `steps` steps, or a rate for "matmul"."""
        self.process.stdin.write(f"{request} {steps}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.contestant} died; see its messages above")
        return float(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure(contestants, rounds, say):
    """Return {contestant: {work: median seconds}} and the matmul rate in FLOP/s."""
    workers = []
    for contestant in contestants:
        say(f"warming up {contestant}")
        worker = Worker(contestant)
        for work in STEPS:
            worker.ask(work, 2)
        workers.append(worker)
    seconds = {c: {work: [] for work in STEPS} for c in contestants}
    rates = []
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}")
        for worker in workers:
            for work, steps in STEPS.items():
                seconds[worker.contestant][work].append(worker.ask(work, steps))
        rates.append(workers[0].ask("matmul", 3))
    for worker in workers:
        worker.close()
    medians = {
        c: {work: statistics.median(times) for work, times in works.items()}
        for c, works in seconds.items()
    }
    return medians, statistics.median(rates)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--contestants", default=",".join(CONTESTANTS))
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    contestants = arguments.contestants.split(",")
    if BASELINE not in contestants:
        contestants.insert(0, BASELINE)
    medians, rate = measure(
        contestants, arguments.rounds, lambda text: print(text, file=sys.stderr)
    )
    rows = {
        contestant: {
            work: {
                "ratio": medians[BASELINE][work] / seconds,
                "share_of_matmul_rate": FLOPS[work] / seconds / rate,
                "milliseconds": seconds * 1e3,
            }
            for work, seconds in works.items()
        }
        for contestant, works in medians.items()
    }
    if arguments.json:
        print(json.dumps({"matmul_gflops": rate / 1e9, "contestants": rows}, indent=1))
        return
    print(f"matmul rate of this machine: {rate / 1e9:.0f} GFLOP/s (float32)")
    print(f"{'':22} {'training':>22} {'forward':>22}")
    print(f"{'':22} " + f"{'ratio':>8} {'of matmul rate':>14}" * 2)
    for contestant, works in rows.items():
        cells = "".join(
            f"{row['ratio']:8.2f} {row['share_of_matmul_rate']:14.0%}"
            for row in works.values()
        )
        print(f"{contestant:22} {cells}")
    print(f"ratio: speed relative to {BASELINE}; more is faster")


if __name__ == "__main__":
    main()
