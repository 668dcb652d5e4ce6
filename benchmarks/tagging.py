"""Sentences a second of kzoo's taggers against transformers' pipeline, in one run.

    python benchmarks/tagging.py [--rounds 5] [--backends jax,tensorflow,torch] [--json]

One BERT of the shape of BERT-mini, with random weights, is in every contestant: the
pipeline of Hugging Face transformers at its default settings, and kzoo on each
backend, each in a process of its own. They take turns, one at a time, over the same
sentences, and must find equal entities: the same types, words and places in the same
order, scores within 1e-5. Then each backend of kzoo tags one document of 5,000 words
and as many words in short texts; told is the time per token read, those counted twice
that two windows share.
"""

import argparse
import json
import statistics
import sys

from contestants import Worker

BASELINE = "transformers:torch"


def check_equal(contestant, found, expected):
    """End the program unless the entities of all sentences are equal."""
    for row, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        plain = [[{**one, "score": 0} for one in some] for some in (ours, theirs)]
        scores = zip(ours, theirs, strict=False)
        off = max((abs(a["score"] - b["score"]) for a, b in scores), default=0)
        if plain[0] != plain[1] or off > 1e-5:
            raise SystemExit(
                f"{contestant} finds other entities in sentence {row}, or scores that "
                f"are {off:.1e} off: {ours} where {BASELINE} finds {theirs}"
            )


def measure(backends, settings, rounds, say):
    """Return what every contestant needs, medians over the rounds."""
    workers = []
    for contestant in (BASELINE, *(f"kzoo:{backend}" for backend in backends)):
        say(f"warming up {contestant}")
        workers.append(
            Worker(
                contestant,
                "tagging_worker.py",
                json.dumps(settings),
                TOKENIZERS_PARALLELISM="true",
            )
        )
        workers[-1].ask("seconds")
    expected = workers[0].ask("entities")
    for worker in workers[1:]:
        check_equal(worker.contestant, worker.ask("entities"), expected)
    seconds = {worker.contestant: [] for worker in workers}
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}")
        for worker in workers:
            seconds[worker.contestant].append(worker.ask("seconds"))
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    rows = {
        name: {
            "sentences_per_second": settings["sentences"] / median,
            "ratio": medians[BASELINE] / median,
        }
        for name, median in medians.items()
    }
    for worker in workers[1:]:
        say(f"a long document on {worker.contestant}")
        worker.ask("document")  # Compiles what is left to compile.
        found = [worker.ask("document") for _ in range(rounds)]
        told = {key: statistics.median(one[key] for one in found) for key in found[0]}
        rows[worker.contestant] |= told
    for worker in workers:
        worker.close()
    return {"entities": sum(map(len, expected)), "contestants": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--backends", default="jax,tensorflow,torch")
    parser.add_argument("--sentences", type=int, default=2048)
    parser.add_argument("--aggregation", default="simple")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    settings = {"sentences": asked.sentences, "aggregation": asked.aggregation}
    backends = asked.backends.split(",")
    found = measure(
        backends, settings, asked.rounds, lambda text: print(text, file=sys.stderr)
    )
    if asked.json:
        print(json.dumps(found, indent=1))
        return
    print(f"{found['entities']:,} equal entities in {asked.sentences:,} sentences")
    print(f"{'':20} {'sentences/s':>12} {'ratio':>7} {'long/short':>11}")
    for name, row in found["contestants"].items():
        long = f"{row['long_to_short']:11.2f}" if "long_to_short" in row else ""
        rate, ratio = row["sentences_per_second"], row["ratio"]
        print(f"{name:20} {rate:12,.0f} {ratio:7.2f} {long}")
    print(f"ratio: speed relative to {BASELINE}; more is faster")
    print("long/short: time per token of a document of 5,000 words, to short texts")


if __name__ == "__main__":
    main()
