"""Freed memory stays with the process, unless its owner has other plans."""

import os
import platform

import keras
import pytest
from helpers.processes import QUICK_KERAS, succeeds
from helpers.toys import once

glibc = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only glibc can be asked"
)

# Resident megabytes over those at the start, with 64 taken and after they are freed.
SCRIPT = """
import numpy as np
from kzoo.training.memory import keep_freed_memory

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20

print(keep_freed_memory())
before = resident()
array = np.ones(8 * 2**20)
taken = resident() - before
del array
print(taken > 60, resident() - before > 60)
"""


def measured(folder, **variables):
    """What the script prints in a process of its own."""
    names = ("MALLOC_", "GLIBC_TUNABLES")
    ours = [name for name in os.environ if name.startswith(names)]
    if ours:
        pytest.skip(f"the environment has settings of its own: {ours}")
    return succeeds(
        *("python", "-c", QUICK_KERAS + SCRIPT),
        cwd=folder,
        backend=keras.backend.backend(),
        **variables,
    ).split()


@glibc
def test_freed_memory_stays(tmp_path):
    assert measured(tmp_path) == ["True", "True", "True"]


@once
@glibc
@pytest.mark.parametrize("name", ["MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES"])
def test_settings_of_the_environment_stay(name, tmp_path):
    value = {"GLIBC_TUNABLES": "glibc.malloc.check=0"}.get(name, "131072")
    assert measured(tmp_path, **{name: value}) == ["False", "True", "False"]


def test_elsewhere_nothing_is_asked(monkeypatch):
    from kzoo.training import memory

    monkeypatch.setattr(memory.sys, "platform", "win32")
    assert memory.keep_freed_memory() is False
    monkeypatch.setattr(memory.sys, "platform", "linux")
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda name: object())
    for name in list(os.environ):
        if name.startswith("MALLOC_"):
            monkeypatch.delenv(name)
    assert memory.keep_freed_memory() is False
