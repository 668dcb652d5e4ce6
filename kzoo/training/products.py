"""How fast this device multiplies in bfloat16: asked of it, since it depends on it.

CPUs whose instructions know bfloat16 (AMX, AVX-512 BF16, recent ARM) multiply it faster
than float32; on others frameworks imitate it, on PyTorch more than ten times slower.
"""

import time

import numpy as np
from keras import ops

ROUNDS = 6
MUCH = 2  # so many times slower is worth a word: timing is noisy
SHAPES = ((256, 384), (384, 512))


def slow_bfloat16(device):
    """What to say where `mixed_bfloat16` slows a run down; `None` where it does not.

    Args:
        device: str, as `kzoo.training.backend.device` names it. Only a CPU is asked.
    """
    if device != "cpu":
        return None
    ratio = time_in_bfloat16()
    if ratio < MUCH:
        return None
    return (
        f"mixed_bfloat16: this CPU takes {ratio:.0f} times as long for a product in "
        'bfloat16 as for one in float32; precision = "float32" is faster here'
    )


def time_in_bfloat16():
    """The time of a product in bfloat16 in times of one in float32, at their best."""
    pairs = [_factors("float32"), _factors("bfloat16")]
    best = [float("inf")] * 2
    for _ in range(ROUNDS):
        for i, pair in enumerate(pairs):
            best[i] = min(best[i], _seconds(*pair))
    return best[1] / best[0]


def _factors(dtype):
    return [ops.cast(np.ones(shape, "float32"), dtype) for shape in SHAPES]


def _seconds(one, other):
    start = time.perf_counter()
    product = ops.matmul(one, other)
    ops.convert_to_numpy(ops.cast(product[0, 0], "float32"))  # Until it is there.
    return time.perf_counter() - start
