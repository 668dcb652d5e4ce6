"""Tokens a second of kzoo's generation against transformers' `generate`, in one run.

    python benchmarks/generation.py [--rounds 5] [--backends jax,torch] [--json]

One T5 of the shape of T5-small (6 + 6 layers, 512 wide, 8 heads, 2048 between, 32,128
tokens), with random weights, is in every contestant: `generate` of Hugging Face
transformers on PyTorch, and kzoo on each backend, each in a process of its own. They
take turns, one at a time, with the same 4 sources of up to 256 tokens, write 32 tokens
for each, greedily and with 4 beams, and must write the same. Ratios are of medians:
of seconds, and of the seconds that all cores of the process were at work, which other
work on the machine disturbs less.
"""

import argparse
import json
import statistics
import sys

from contestants import Worker

BASELINE = "transformers:torch"
MODES = ("greedy", "beam")


def check_equal(contestant, mode, found, expected):
    """End the program unless all tokens are equal."""
    for row, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        if ours != theirs:
            raise SystemExit(
                f"{contestant} ({mode}) writes other tokens for source {row}: {ours} "
                f"where {BASELINE} writes {theirs}"
            )


def measure(backends, settings, rounds, say):
    """Return what every contestant needs, medians over the rounds, by mode."""
    workers, tokens = [], {}
    for contestant in (BASELINE, *(f"kzoo:{backend}" for backend in backends)):
        say(f"warming up {contestant}")
        worker = Worker(contestant, "generation_worker.py", json.dumps(settings))
        workers.append(worker)
        for mode in settings["modes"]:
            found = worker.ask(mode)["tokens"]
            expected = tokens.setdefault(mode, found)
            if len({token for row in expected for token in row}) <= settings["batch"]:
                raise SystemExit(f"{mode}: so few different tokens compare nothing")
            say(f"{mode}: {written(found)}")
            check_equal(contestant, mode, found, expected)
    taken = {mode: {worker.contestant: [] for worker in workers} for mode in tokens}
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}")
        for mode in tokens:
            for worker in workers:
                taken[mode][worker.contestant].append(worker.ask(mode))
    for worker in workers:
        worker.close()
    return {mode: compared(taken[mode], tokens[mode]) for mode in tokens}


def written(found):
    """How many tokens, and how many different ones, as words."""
    tokens = [token for row in found for token in row]
    return f"{len(tokens)} tokens, {len(set(tokens))} different"


def compared(taken, tokens):
    """Medians of each contestant, and how they compare to the baseline's."""
    count = sum(map(len, tokens))
    medians = {
        name: {
            key: statistics.median(one[key] for one in answers)
            for key in ("seconds", "cpu_seconds")
        }
        for name, answers in taken.items()
    }
    base = medians[BASELINE]
    return {
        name: {
            **own,
            "tokens_per_second": count / own["seconds"],
            "ratio": base["seconds"] / own["seconds"],
            "cpu_ratio": base["cpu_seconds"] / own["cpu_seconds"],
        }
        for name, own in medians.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--backends", default="jax,tensorflow,torch")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--source", type=int, default=256)
    parser.add_argument("--new", type=int, default=32)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    settings = {"batch": asked.batch, "source": asked.source, "new": asked.new}
    settings["modes"] = asked.modes.split(",")
    found = measure(
        asked.backends.split(","),
        settings,
        asked.rounds,
        lambda text: print(text, file=sys.stderr),
    )
    if asked.json:
        print(json.dumps(found, indent=1))
        return
    for mode, rows in found.items():
        print(f"{mode:20} {'tokens/s':>9} {'ratio':>7} {'of CPU time':>12}")
        for name, row in rows.items():
            rate, ratio, cpu = (
                row[k] for k in ("tokens_per_second", "ratio", "cpu_ratio")
            )
            print(f"{name:20} {rate:9.1f} {ratio:7.2f} {cpu:12.2f}")
    print(f"ratio: speed relative to {BASELINE}, all tokens equal; more is faster")


if __name__ == "__main__":
    main()
