"""How much memory a call takes at its peak."""

import contextlib
import ctypes
from pathlib import Path

from kzoo.training import backend

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")
FORGET_PEAK = "5"  # See proc(5).


class Peak:
    """Measures the most that is held at once within it, beyond what is held before.

    On a GPU what the framework has taken there; on a CPU what of the process is in RAM.

    Attributes:
        bytes: int, once it is left; `None` where the system does not say.
    """

    def __enter__(self):
        self.bytes = None
        self.on_device = backend.device_memory() is not None
        if self.on_device:
            self.before, _ = backend.device_memory()
        else:
            _give_back()
            with contextlib.suppress(OSError):
                CLEAR.write_text(FORGET_PEAK)
            self.before = _of_process("VmRSS")
        return self

    def __exit__(self, *error):
        if self.on_device:
            _, most = backend.device_memory()
        else:
            most = _of_process("VmHWM")
        if most is not None and self.before is not None:
            self.bytes = max(most - self.before, 0)


def _of_process(name):
    """Bytes of a line of the process' status, or `None`."""
    try:
        lines = STATUS.read_text().splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def _give_back():
    """Let the C library return what was freed, so that it does not count as held."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
