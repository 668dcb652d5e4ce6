"""kzoo against its peers on one BERT, interleaved in one run.

    python benchmarks/bert_mini.py [--rounds 7] [--contestants kzoo:jax,…] [--json]
    python benchmarks/bert_mini.py --size base      # on a GPU

Every contestant is a process of its own that builds the same shape (`sizes.py`: mini,
which is BERT-mini with 32 × 128 tokens, or base) with dropout 0.1, AdamW and clipping
at 1, and warms up. Then they take turns, a few steps each, one at a time, so that a
machine whose speed drifts treats all alike. Printed are medians as ratios to
transformers on torch, and as shares of the machine's own matmul rate.
"""

import argparse
import json
import statistics
import sys

from contestants import Worker
from sizes import SIZES, forward_flops

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


def measure(contestants, size, rounds, say):
    """Return {contestant: {work: median seconds}} and the matmul rate in FLOP/s."""
    workers = []
    for contestant in contestants:
        say(f"warming up {contestant}")
        worker = Worker(contestant, "worker.py", size)
        for work in STEPS:
            worker.ask(f"{work} 2")
        workers.append(worker)
    seconds = {c: {work: [] for work in STEPS} for c in contestants}
    rates = []
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}")
        for worker in workers:
            for work, steps in STEPS.items():
                seconds[worker.contestant][work].append(worker.ask(f"{work} {steps}"))
        rates.append(workers[0].ask("matmul 3"))
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
    parser.add_argument("--size", choices=SIZES, default="mini")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    contestants = arguments.contestants.split(",")
    if BASELINE not in contestants:
        contestants.insert(0, BASELINE)
    medians, rate = measure(
        contestants,
        arguments.size,
        arguments.rounds,
        lambda text: print(text, file=sys.stderr),
    )
    forward = forward_flops(*SIZES[arguments.size])
    flops = {"train": 3 * forward, "forward": forward}
    rows = {
        contestant: {
            work: {
                "ratio": medians[BASELINE][work] / seconds,
                "share_of_matmul_rate": flops[work] / seconds / rate,
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
