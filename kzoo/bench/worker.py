"""What a process that measures attention does; it prints a line of JSON per number."""

import json
import time

import numpy as np

from kzoo.bench.attention import DENSE
from kzoo.bench.memory import Peak
from kzoo.layers import masks
from kzoo.layers.kernels import dense
from kzoo.layers.kernels.kernel import Heads
from kzoo.layers.kernels.named import kernel_part
from kzoo.training import backend
from kzoo.training.steppers.functions import on_backend


def main(job):
    """Do a job, as `kzoo.bench.attention` describes it in JSON."""
    job = json.loads(job)
    backend.use_full_float32()
    {"memory": _memory, "time": _time}[job["what"]](job)


def _memory(job):
    [[kernel, length]] = job["work"]
    answer = {"device": backend.device()}
    try:
        call = _call(job, kernel, length)
    except ValueError as error:  # The backend has no such kernel.
        answer["problem"] = str(error).partition(" Received: ")[0]
    else:
        call()  # Compiles, which takes memory of its own.
        with Peak() as peak:
            call()
        answer["bytes"] = peak.bytes
    print(json.dumps(answer), flush=True)


def _time(job):
    calls = {tuple(work): _call(job, *work) for work in job["work"]}
    for number in range(job["rounds"] + 1):
        for (kernel, length), call in calls.items():
            begun = time.perf_counter()
            call()
            answer = {
                "round": number,  # 0 compiles.
                "kernel": kernel,
                "length": length,
                "seconds": time.perf_counter() - begun,
            }
            print(json.dumps(answer), flush=True)


def _call(job, kernel, length):
    """Return a function without arguments that attends once."""
    rng = np.random.default_rng(0)
    shape = job["batch"], length, job["heads"], job["head_dim"]
    inputs = [rng.normal(size=shape).astype("float32") for _ in range(3)]
    attend = _dense if kernel == DENSE else _by_kernel(kernel, shape)
    return on_backend(attend, inputs, job["training"])


def _dense(queries, keys, values):
    folded = masks.fold(None, None, "float32")
    scale = queries.shape[-1] ** -0.5
    return dense.attend((queries, keys, values), folded, scale, return_weights=True)[0]


def _by_kernel(kernel, shape):
    batch, length, heads, head_dim = shape
    part = kernel_part(kernel)
    part.build((batch, length, heads * head_dim), (heads, head_dim))

    def attend(queries, keys, values):
        return part.attend(Heads(queries, keys, values, head_dim**-0.5))

    return attend
