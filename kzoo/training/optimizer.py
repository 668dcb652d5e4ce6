"""AdamW: one rule for every backend, as data and pure functions."""

import dataclasses
import math

import numpy as np
from keras import ops

PLAIN_NAMES = ("bias", "gamma", "beta", "scale")


def decays(path, shape):
    """Whether weight decay acts on the weight at `path`.

    Matrices and embeddings decay. Biases and norm scales do not, whatever their
    rank (the bias of an attention projection is `(N, H)`), nor does anything of
    rank below two.
    """
    name = path.rsplit("/", 1)[-1]
    plain = name in PLAIN_NAMES or name.endswith("_bias")
    return len(shape) >= 2 and not plain


@dataclasses.dataclass(frozen=True)
class AdamW:
    """Adam with decoupled weight decay and clipping by the global norm.

    The learning rate and both bias corrections are computed on the host in
    float64, so no backend keeps a step counter on its device.

    Args:
        beta_1: float. Decay of the first moment.
        beta_2: float. Decay of the second moment.
        epsilon: float. Added outside the square root.
        weight_decay: float. Each step first shrinks the weights that decay by
            `learning_rate * weight_decay`.
        clip_norm: float or `None`. Longest global gradient norm.

    Reference:
        - [Loshchilov and Hutter, 2019](https://arxiv.org/abs/1711.05101)
    """

    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.01
    clip_norm: float | None = 1.0

    def scalars(self, step, learning_rate):
        """What changes from step to step, for the update number `step` (from 1).

        Returns:
            float32 `(3,)`: the learning rate, `1 - beta_1^step`, `1 - beta_2^step`.
        """
        corrections = [
            -math.expm1(step * math.log(b)) if b else 1.0 for b in self.betas
        ]
        return np.array([learning_rate, *corrections], "float32")

    @property
    def betas(self):
        return self.beta_1, self.beta_2

    def clip(self, gradients):
        """Scale `gradients` so that their global norm is at most `clip_norm`."""
        if self.clip_norm is None:
            return gradients
        norm = ops.sqrt(sum(ops.sum(ops.square(g)) for g in gradients))
        factor = ops.minimum(1.0, self.clip_norm / (norm + 1e-6))
        return [g * factor for g in gradients]

    def update(self, weights, gradients, first, second, decayed, scalars):
        """One step over lists of tensors; nothing is changed in place.

        Args:
            weights: list of float tensors.
            gradients: list of float tensors, already summed over the batch.
            first: list of float tensors, first moments.
            second: list of float tensors, second moments.
            decayed: list of bool, from `decays`.
            scalars: float `(3,)`, from `scalars`.

        Returns:
            New `weights`, `first` and `second`.
        """
        rate, correction_1, correction_2 = scalars[0], scalars[1], scalars[2]
        shrink = 1.0 - rate * self.weight_decay
        new_weights, new_first, new_second = [], [], []
        for w, g, m, v, decay in zip(
            weights, self.clip(gradients), first, second, decayed, strict=True
        ):
            m = self.beta_1 * m + (1.0 - self.beta_1) * g
            v = self.beta_2 * v + (1.0 - self.beta_2) * ops.square(g)
            step = (m / correction_1) / (ops.sqrt(v / correction_2) + self.epsilon)
            new_weights.append((w * shrink if decay else w) - rate * step)
            new_first.append(m)
            new_second.append(v)
        return new_weights, new_first, new_second
