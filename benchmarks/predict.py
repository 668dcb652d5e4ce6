"""`kzoo predict` over many short rows: rows a second, and memory as it goes on.

    python benchmarks/predict.py --rows 1000000 --backend jax [--model zoo:summarizer]

prints one line of JSON. Memory is the resident set of the process, read from /proc
twenty times a second, so this runs on Linux.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
REVIEWS = ROOT / "kzoo" / "data" / "bundled" / "reviews" / "train.csv"
WARM = 0.2  # of the rows; what is compiled or cached is so by then


def write_rows(path, count):
    """Rows of id and text: the reviews that ship with kzoo, over and over."""
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file)]
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "text"])
        rows.writerows((row, texts[row % len(texts)]) for row in range(count))


def resident(process):
    """Resident bytes of a process, or 0 if it is gone."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def measure(rows, backend, model="zoo:text_classifier", batch_size=64):
    """Predict `rows` rows in a process of its own.

    Returns:
        dict of `rows_in`, `rows_out`, `in_order`, `seconds`, `rows_per_second` (of the
        whole process), and in MiB `warm` and `peak`, the largest resident set in the
        part of the answers up to `WARM` and in all; `growth`, their ratio less 1.
    """
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "rows.csv"), Path(folder, "answers.jsonl")
        write_rows(source, rows)
        command = [Path(sys.executable).with_name("kzoo"), "predict", model]
        command += ["--input", source, "--text", "text", "--keep", "id"]
        command += ["--output", target]
        command += ["--backend", backend, "--batch-size", str(batch_size)]
        began = time.monotonic()
        samples = []  # of bytes written and of memory
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            while process.poll() is None:
                partial = next(Path(folder).glob(".*.partial"), None)
                written = partial.stat().st_size if partial else 0
                samples.append((written, resident(process.pid)))
                time.sleep(0.05)
            said = process.stderr.read()
        seconds = time.monotonic() - began
        if process.returncode:
            raise SystemExit(f"kzoo ended with {process.returncode}: {said}")
        with target.open(encoding="utf-8") as file:
            found = [int(json.loads(line)["id"]) for line in file]
        whole = target.stat().st_size
    early = [memory for written, memory in samples if written <= WARM * whole]
    warm, peak = max(early), max(memory for _, memory in samples)
    return {
        "backend": backend,
        "rows_in": rows,
        "rows_out": len(found),
        "in_order": found == list(range(rows)),
        "seconds": round(seconds, 1),
        "rows_per_second": round(rows / seconds, 1),
        "warm": round(warm / 2**20, 1),
        "peak": round(peak / 2**20, 1),
        "growth": round(peak / warm - 1, 4),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--backend", default="jax")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--model", default="zoo:text_classifier")
    asked = parser.parse_args()
    told = asked.rows, asked.backend, asked.model, asked.batch_size
    print(json.dumps(measure(*told)))


if __name__ == "__main__":
    main()
