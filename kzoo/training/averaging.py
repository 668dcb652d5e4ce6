"""The moving average of the weights, as data and pure functions."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Average:
    """Exponential moving average of the weights that are trained.

    It begins as a copy of the initial weights. So that a short run does not end as a
    mixture with them, the decay warms up: after update `step`, counted from 1, it is
    `min(decay, (1 + step) / (10 + step))`, which reaches 0.9 after 80 updates, 0.99
    after 890 and 0.999 after 8,990.

    Args:
        decay: float in (0, 1). The share of the old average that an update keeps.

    Reference:
        - `tf.train.ExponentialMovingAverage` with `num_updates`, for the warm-up
        - [Polyak and Juditsky, 1992](https://doi.org/10.1137/0330046)
    """

    decay: float

    def __post_init__(self):
        if not 0 < self.decay < 1:
            raise ValueError(
                f"`decay` must be between 0 and 1. Received: decay={self.decay}"
            )

    def rate(self, step):
        """The share of the new weights in the average, float32, computed in float64."""
        return np.float32(1 - min(self.decay, (1 + step) / (10 + step)))

    def update(self, averages, weights, rate):
        """New averages from lists of tensors; nothing is changed in place."""
        return [a + rate * (w - a) for a, w in zip(averages, weights, strict=True)]
