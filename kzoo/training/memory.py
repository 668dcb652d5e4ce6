"""Memory that was freed stays with the process, ready for the next step."""

import ctypes
import os
import sys

# Parameters of glibc's mallopt (malloc.h).
TRIM_THRESHOLD, TOP_PAD, MMAP_MAX = -1, -2, -4


def keep_freed_memory():
    """Ask the C library to reuse freed memory rather than to give it back.

    A step frees and takes the same large arrays again. glibc hands each of them back
    to the system and gets it anew as pages that must be zeroed, which costs more than
    some of the operations on them. The process then stays as large as its largest
    step. Nothing is asked where there is no glibc, or where the environment has
    settings of its own.

    Returns:
        bool. Whether the C library agreed.
    """
    if not sys.platform.startswith("linux"):
        return False
    if any(name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False  # musl has no mallopt; a preloaded allocator may not either.
    largest = 2**31 - 1
    return bool(
        mallopt(MMAP_MAX, 0)
        and mallopt(TRIM_THRESHOLD, largest)
        and mallopt(TOP_PAD, 64 * 2**20)
    )
