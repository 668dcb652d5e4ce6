"""Measuring kernels of attention, each in processes of its own.

Memory is measured in a fresh process for each kernel and length. Times are measured in
one process, round by round, so that what else the machine does meets all alike.
"""

import json
import os
import subprocess
import sys
from statistics import median

from kzoo_recipes import KzooError, did_you_mean
from kzoo_recipes.attention_schema import KERNEL_OPTIONS

from kzoo.bench.costs import AttentionCosts, Cost, exponent

DENSE = "dense"
NAMES = (DENSE, *KERNEL_OPTIONS)
LENGTHS = (512, 1024, 2048, 4096)
ROOM = 0.8  # of the memory that is free may be taken
# Where TensorFlow is installed, Keras imports it on any backend, which takes seconds.
PROGRAM = """
import os, sys
if os.environ["KERAS_BACKEND"] != "tensorflow":
    sys.modules["tensorflow"] = None
from kzoo.bench.worker import main
main(sys.argv[1])
"""


def measure(
    kernels=None,
    lengths=LENGTHS,
    *,
    backend,
    batch=1,
    heads=4,
    head_dim=64,
    rounds=3,
    training=False,
    note=None,
):
    """Measure time and memory of attention against the length of texts.

    Without masks and biases, in float32, compiled as kzoo trains; "dense" makes all
    scores.

    Args:
        kernels: list of str, names in `NAMES`; `None` for all.
        lengths: list of int. Tokens.
        backend: str.
        batch: int. Texts at a time.
        heads: int.
        head_dim: int. Numbers of a head.
        rounds: int. How often each is timed.
        training: bool. Whether to make gradients of queries, keys and values, too.
        note: function that is told in a sentence what is being done, or `None`.

    Returns:
        `AttentionCosts`. What cannot be measured has a `problem`: more memory than
        there is, or a kernel that the backend lacks.

    Raises:
        KzooError: if there is no such kernel, or a process fails otherwise.
    """
    kernels = list(dict.fromkeys(NAMES if kernels is None else kernels))
    for name in kernels:
        if name not in NAMES:
            hint = did_you_mean(name, NAMES) or f"; there are {', '.join(NAMES)}"
            raise KzooError(f'there is no kernel "{name}"{hint}')
    note = note or (lambda sentence: None)
    made = AttentionCosts(
        backend,
        "",
        sorted(set(lengths)),
        kernels,
        batch,
        heads,
        head_dim,
        rounds,
        training,
        [],
    )
    for number, kernel in enumerate(kernels, 1):
        note(f"memory of {kernel} ({number} of {len(kernels)})")
        for length in made.lengths:
            made.costs.append(_memory(made, kernel, length))
    _add_times(made, note)
    return made


def _memory(made, kernel, length):
    """The `Cost` of a kernel at a length, not timed yet."""
    before = made.of(kernel)
    cost = Cost(kernel, length)
    if before and before[-1].problem:
        cost.problem = before[-1].problem
        return cost
    needed, free = _expected(before, length), _free()
    if needed and free and needed > ROOM * free:
        cost.problem = (
            f"needs about {needed / 2**30:.1f} GB, and {free / 2**30:.1f} GB are free"
        )
        return cost
    [answer] = _answers(made, {"what": "memory", "work": [[kernel, length]]})
    made.device = answer["device"]
    cost.bytes, cost.problem = answer.get("bytes"), answer.get("problem")
    return cost


def _expected(before, length):
    """Bytes that a kernel will hold, from those at shorter lengths; `None` at first."""
    known = [(cost.length, cost.bytes) for cost in before if cost.bytes]
    if not known:
        return None
    power = exponent(known) or 2.0
    last_length, last = known[-1]
    return last * (length / last_length) ** max(power, 1.0)


def _free():
    """Bytes of memory that are free, or `None` where nobody says."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(
                int(line.split()[1]) * 1024 for line in lines if "MemAvail" in line
            )
    except (OSError, StopIteration):
        return None


def _add_times(made, note):
    """Time all that can be, and put medians into the costs."""
    there = {(c.kernel, c.length): c for c in made.costs if not c.problem}
    if not there:
        return
    taken = {key: [] for key in there}
    job = {"what": "time", "work": list(map(list, there)), "rounds": made.rounds}
    told = None
    for answer in _answers(made, job):
        if answer["round"] != told:
            told = answer["round"]
            note("compiling" if told == 0 else f"timing, round {told} of {made.rounds}")
        if told:
            taken[answer["kernel"], answer["length"]].append(answer["seconds"])
    for key, cost in there.items():
        cost.seconds = median(taken[key])


def _answers(made, job):
    """What a worker prints, one dict per line, as it comes."""
    sizes = {"batch": made.batch, "heads": made.heads, "head_dim": made.head_dim}
    job = {**job, **sizes, "training": made.training}
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM, json.dumps(job)],
        env={
            "TF_CPP_MIN_LOG_LEVEL": "3",
            **os.environ,
            "KERAS_BACKEND": made.backend,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    with process:
        try:
            for line in process.stdout:
                if line.startswith("{"):
                    yield json.loads(line)
            said = process.stderr.read()
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise KzooError(
            f"attention on {made.backend} was not measured: "
            f"{_last(said, process.returncode)}"
        )


def _last(said, code):
    if code < 0:
        return f"the process was killed by signal {-code}, as for want of memory."
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return f"{(lines or ['it ended without a word'])[-1].rstrip('.')}."
