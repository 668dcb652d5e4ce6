"""The most memory a process has held.

Other processes read it, too: with `READS_PEAKS` as their environment they can
`from helpers.peaks import peak_memory`.
"""

from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
READS_PEAKS = {"PYTHONPATH": str(TESTS)}
STATUS = Path("/proc/self/status")


def peak_memory():
    """Return the most bytes of this process that were in RAM at once.

    Not `ru_maxrss` where there is better: it begins at what the process that started
    this one held, so that a child of a large process never seems to grow.
    """
    if STATUS.exists():
        lines = STATUS.read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if "VmHWM" in line) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # Bytes on macOS
