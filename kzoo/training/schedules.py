"""Learning rates as pure functions of the step, in float64, on the host."""

import math


def constant(progress, step, warmup):
    return 1.0


def linear(progress, step, warmup):
    return 1.0 - progress


def cosine(progress, step, warmup):
    return 0.5 * (1.0 + math.cos(math.pi * progress))


def inverse_square_root(progress, step, warmup):
    return math.sqrt(warmup / step)


SHAPES = {
    "constant": constant,
    "linear": linear,
    "cosine": cosine,
    "inverse_square_root": inverse_square_root,
}


def make_schedule(name, peak, total_steps, warmup_steps=0):
    """A function from the step, counted from 0, to its learning rate.

    The rate climbs in equal strides and reaches `peak` on the last step of the
    warm-up, or on the very first step when there is none. `linear` and `cosine`
    then fall to zero one step after the last, so no step is wasted on zero.

    Args:
        name: str. A key of `SHAPES`.
        peak: float. The highest rate.
        total_steps: int. Steps of the whole run.
        warmup_steps: int. Steps of the climb.

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 5.3,
          for `inverse_square_root`
    """
    if name not in SHAPES:
        raise ValueError(
            f"Choose a schedule of {list(SHAPES)}. Received: name={name!r}"
        )
    shape = SHAPES[name]
    warmup = max(warmup_steps, 1)
    fall = max(total_steps + 1 - warmup, 1)

    def learning_rate(step):
        count = step + 1  # The paper counts from 1.
        if count <= warmup:
            return peak * count / warmup
        return peak * shape(min((count - warmup) / fall, 1.0), count, warmup)

    return learning_rate
