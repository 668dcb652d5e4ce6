"""One backend's part of `kzoo doctor`, in a process of its own.

What it finds goes out as it is found, a line of JSON each, so that a check that ends
the whole process hides nothing that came before it.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from kzoo.doctor.checks import answer, attempt, said
from kzoo.doctor.promises import PROMISES, initial_weights, works_in
from kzoo.doctor.traps import TRAPS
from kzoo.training import backend

PRECISIONS = ("mixed_bfloat16", "mixed_float16")


def probe(say):
    """Look at the running backend.

    Args:
        say: function that takes dicts, one after the other: first what the backend
            is, `{"facts": …}`, then each check as it begins and its answer.
    """
    facts = {
        "version": backend.version(),
        "device": backend.device(),
        "devices": backend.devices(),
        "threads": backend.threads(),
    }
    say({"facts": facts})
    for group, checks in (("promises", PROMISES), ("traps", TRAPS)):
        for name, check in checks.items():
            say({"asking": name})
            with TemporaryDirectory(prefix="kzoo-doctor-") as folder:
                found = answer(check, Path(folder))
            say({"group": group, "name": name, "meaning": check.meaning, **found})
    for precision in PRECISIONS:
        say({"asking": precision})
        works = attempt(lambda precision=precision: works_in(precision))
        failed = said(works) if isinstance(works, Exception) else "not finite"
        say({"precision": precision, "error": None if works is True else failed})
    say({"facts": {"initial_weights": attempt(initial_weights)}})
