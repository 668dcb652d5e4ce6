"""A process that meets broken files, one after another, and says where it is.

Lines on stdout, JSON: `{"at": 7}` before a case; `{"at": 7, "found": "…"}` for what is
neither an answer nor a refusal; `{"done": {…}}` at the end. A process that ends without
the last one crashed or hung at the last case that it named.
"""

import contextlib
import faulthandler
import json
import os
import random
import sys
import tempfile
import traceback
from pathlib import Path

from kzoo_recipes import KzooError

from tests.fuzz.targets import FIRST, TARGETS
from tests.helpers.peaks import peak_memory

PATIENCE = 30  # seconds that a case may take
MOST_GROWTH = 500_000  # kilobytes that the process may grow by in one case
LONGEST_SENTENCE = 2000


def case(kind, seed, at, folder):
    """Run one case; return what went wrong, or `None`, and whether it was refused."""
    rng = random.Random(f"{seed}/{kind}/{at}")
    try:
        TARGETS[kind](rng, folder)
    except KzooError as error:
        sentence = str(error)
        if not sentence.strip() or len(sentence) > LONGEST_SENTENCE:
            return f"a sentence of {len(sentence)} characters", True
        if sentence.isspace() or "Traceback" in sentence:
            return f"no sentence: {sentence[:200]}", True
        return None, True
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return traceback.format_exc(limit=-6), False
    return None, False


def main(kind, seed, start, stop):
    say = _stdout_for_us()
    counts = {"cases": 0, "refused": 0}
    with tempfile.TemporaryDirectory() as folder:
        FIRST.get(kind, Path)(Path(folder))
        for at in range(int(start), int(stop)):
            say({"at": at})
            before = _peak()
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            found, refused = case(kind, seed, at, Path(folder))
            faulthandler.cancel_dump_traceback_later()
            grown = _peak() - before
            if found is None and grown > MOST_GROWTH and counts["cases"]:
                found = f"the process grew by {grown:,} kB"
            if found:
                say({"at": at, "found": found})
            counts["cases"] += 1
            counts["refused"] += refused
    say({"done": {**counts, "peak": _peak()}})


def _peak():
    return peak_memory() // 1024


def _stdout_for_us():
    """Keep stdout for our lines; what libraries print goes to stderr."""
    stream = os.fdopen(os.dup(sys.stdout.fileno()), "w")

    def say(value):
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(value), file=stream, flush=True)

    sys.stdout = sys.stderr
    return say


if __name__ == "__main__":
    main(*sys.argv[1:])
