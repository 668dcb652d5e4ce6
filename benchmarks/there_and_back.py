"""A run of kzoo, exported and opened in transformers: the same answers to a test set.

    python benchmarks/there_and_back.py RUN [FILE] [--backends jax,tensorflow,torch]

RUN is the folder of a classifier or of a linear tagger that `kzoo train` made, FILE the
rows to ask about; without it they are the test split of the run's recipe. On each
backend of kzoo the run is opened, asked about all rows and exported, in a process of
its own. Then transformers, in a process that knows nothing of kzoo, opens the exported
folder with AutoTokenizer and AutoModelFor… and is asked about the same rows, in its own
batches and with its own cutting.

Printed is JSON: for each backend the rows, those whose predictions are equal, the
predictions (words, for a tagger) and the equal ones among them, the greatest difference
between the probabilities of a prediction, and the SHA-256 of `model.safetensors`, which
should be one for all. Two kinds of a tagger's rows are counted apart, since
transformers reads something else there: `in_windows`, those longer than a window, which
it reads as one, and `unread`, those with a word of which its tokenizer leaves nothing,
as of a lone variation selector, which kzoo reads as unknown. Ends with 1 if a
prediction of any other row is not equal.
"""

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path

from contestants import once

WORKER = "there_and_back_worker.py"
FAR = 1e-4  # a difference of probabilities that is no rounding


def compared(ours, theirs, windows):
    """How far two lists of answers agree.

    Args:
        ours: list of rows, each a list of `(prediction, probability)`.
        theirs: likewise; `None` for a word that was not read.
        windows: list of int, in how many windows kzoo read each row.

    Returns:
        dict, ready for JSON.
    """
    counted = {"rows": 0, "equal_rows": 0, "predictions": 0, "equal": 0, "apart": 0.0}
    for kind in ("in_windows", "unread"):
        counted[kind] = {"rows": 0, "predictions": 0, "equal": 0}
    for row, others, parts in zip(ours, theirs, windows, strict=True):
        pairs = [pair for pair in zip(row, others, strict=True) if pair[1]]
        same = [one[0] == other[0] for one, other in pairs]
        if parts > 1:
            into = counted["in_windows"]
        elif len(pairs) < len(row):
            into = counted["unread"]
        else:
            into = counted
            into["equal_rows"] += all(same)
            apart = max((abs(a[1] - b[1]) for a, b in pairs), default=0.0)
            into["apart"] = max(into["apart"], apart)
        into["rows"] += 1
        into["predictions"] += len(same)
        into["equal"] += sum(same)
    return counted


def there_and_back(run, file, backends, say):
    """Export a run on each backend and compare its answers with transformers'."""
    found, answers = {}, {}
    with tempfile.TemporaryDirectory() as room:
        for backend in backends:
            folder = Path(room, backend)
            settings = {"run": run, "file": file, "folder": str(folder)}
            say(f"kzoo on {backend}")
            told = once(f"kzoo:{backend}", WORKER, settings)
            weights = folder.joinpath("model.safetensors").read_bytes()
            digest = hashlib.sha256(weights).hexdigest()
            if digest not in answers:
                say("transformers")
                settings |= {key: told[key] for key in ("task", "asked")}
                hand = Path(room, "asked.json")
                hand.write_text(json.dumps(settings), "utf-8")
                answers[digest] = once(
                    "transformers:torch", WORKER, {"settings": str(hand)}
                )
            found[backend] = {
                **compared(told["answers"], answers[digest], told["windows"]),
                "sha256": digest,
            }
    return {"run": run, "task": told["task"], "rows_of": told["source"], **found}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run")
    parser.add_argument("file", nargs="?")
    parser.add_argument("--backends", default="jax,tensorflow,torch")
    told = parser.parse_args()
    backends = told.backends.split(",")
    found = there_and_back(
        told.run, told.file, backends, lambda text: print(text, file=sys.stderr)
    )
    print(json.dumps(found, indent=2))
    for backend in backends:
        one = found[backend]
        if one["equal"] < one["predictions"] or one["apart"] > FAR:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
