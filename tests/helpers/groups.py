"""Which tests share a process of pytest-xdist: those that share what costs minutes."""

import functools
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent


@functools.cache
def probed():
    """The files of tests/parity that share its fixture `probes`, made in minutes."""
    asks = re.compile(r"^def \w+\(.*\bprobes\b", re.MULTILINE)
    files = (TESTS / "parity").glob("test_*.py")
    return {file.name for file in files if asks.search(file.read_text())}


def group_of(nodeid):
    """The group of a test: its file; or the folder of those that share its probes.

    Pages of docs/ share nothing, and each is a group of its own.
    """
    path = nodeid.partition("::")[0]
    folder, _, name = path.rpartition("/")
    if folder == "tests/parity" and name in probed():
        return folder
    return nodeid if name == "test_docs.py" else path
