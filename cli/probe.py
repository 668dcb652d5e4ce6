"""`python -m kzoo_cli.probe`: one backend's part of a command, on its own.

Keras runs on one backend per process, so commands that look at several start a probe
for each: `kzoo_cli.probing` starts them, this module is what they run.
"""

import sys
from pathlib import Path

from .backend import start_kzoo
from .output import exit_code_of, print_json


def parity(backend, device, folder, number, steps):
    """Write the numbers of a recipe; see `kzoo.parity.probe`."""
    start_kzoo(backend, device)
    from kzoo.parity.probe import probe

    probe(Path(folder), int(number), int(steps))


def doctor(backend, device):
    """Print what is true of a backend; see `kzoo.doctor.probe`."""
    start_kzoo(backend, device)
    from kzoo.doctor.probe import probe

    probe(print_json)


PROBES = {"parity": parity, "doctor": doctor}


if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    sys.exit(exit_code_of(lambda: PROBES[name](*arguments)))
