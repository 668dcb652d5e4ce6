"""`python -m tests.fuzz`: broken files by the thousand.

Each kind of file is broken in `--count` ways that follow from `--seed`, blindly and
knowing its form, and given to kzoo in a process of its own. What is neither answered
nor refused in a sentence is a finding: another exception, a hang, a crash of the
process.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KINDS = (
    *("archives", "recipes", "csv", "jsonl", "parquet", "conll", "tagged_jsonl"),
    *("paired_jsonl", "python"),
)
MOST_CRASHES = 20  # of one kind, then there is something to mend first


def fuzz(kind, seed, count, start=0):
    """Run cases `start` to `count`; go on after a crash with the next one.

    Returns:
        Findings, a list of dicts with "at" and "found"; and counts.
    """
    findings, counts, at, crashes = [], {"cases": 0, "refused": 0, "peak": 0}, start, 0
    while at < count and crashes < MOST_CRASHES:
        command = [sys.executable, "-m", "tests.fuzz.worker", kind]
        command += [str(seed), str(at), str(count)]
        environment = {
            "KERAS_BACKEND": "jax",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            **os.environ,
        }
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**environment, "RUST_BACKTRACE": "0"},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        last, done = at, None
        for line in process.stdout:
            said = json.loads(line)
            done = said.get("done")
            last = said.get("at", last)
            if "found" in said:
                findings.append(said)
        code = process.wait()
        if done:
            for key in ("cases", "refused"):
                counts[key] += done[key]
            counts["peak"] = max(counts["peak"], done["peak"])
            break
        crashes += 1
        counts["cases"] += last - at + 1
        findings.append({"at": last, "found": f"the process ended with {code}"})
        at = last + 1
    return findings, counts


def main(arguments=None):
    """Fuzz and report; return 1 if anything was found."""
    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__)
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []], metavar="KIND")
    parser.add_argument("--count", type=int, default=10_000, help="cases of each kind")
    parser.add_argument("--start", type=int, default=0, help="the first case")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    failed = False
    for kind in asked.kinds or KINDS:
        began = time.monotonic()
        findings, counts = fuzz(kind, asked.seed, asked.count, asked.start)
        seconds = time.monotonic() - began
        print(
            f"{kind}: {counts['cases']:,} cases in {seconds:.0f} s, "
            f"{counts['refused']:,} refused, {len(findings)} findings, "
            f"peak {counts['peak'] // 1024:,} MB",
            flush=True,
        )
        for finding in findings:
            failed = True
            print(f"--- {kind} {finding['at']}, seed {asked.seed}")
            print(finding["found"].rstrip())
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
