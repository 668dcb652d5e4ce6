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
class Manner:
    """How one weight is moved.

    Attributes:
        factor: float. Of the learning rate.
        weight_decay: float. Of this weight.
        stage: int. Which entry of `AdamW.starts` says when it begins to move.
    """

    factor: float = 1.0
    weight_decay: float = 0.0
    stage: int = 0


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
        manners: dict from the path of a weight to its `Manner`. Those that are not
            in it move at the full rate, and decay if `decays` says so.
        starts: tuple of int. For each stage, the updates made before its weights
            begin to move. Until then their gradients count as zero; then they begin
            with clean moments and a step count of their own.

    Reference:
        - [Loshchilov and Hutter, 2019](https://arxiv.org/abs/1711.05101)
    """

    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.01
    clip_norm: float | None = 1.0
    manners: dict = dataclasses.field(default_factory=dict)
    starts: tuple = (0,)

    @property
    def betas(self):
        return self.beta_1, self.beta_2

    @property
    def staged(self):
        """Whether some weights begin to move later than others."""
        return len(self.starts) > 1

    def manner(self, path, shape):
        """The `Manner` of the weight at `path`."""
        decay = self.weight_decay if decays(path, shape) else 0.0
        return self.manners.get(path, Manner(weight_decay=decay))

    def made(self, stage, step):
        """How many updates the weights of a stage have had after `step` of them."""
        return max(step - self.starts[stage], 0)

    def scalars(self, step, learning_rate):
        """What changes from step to step, for the update number `step` (from 1).

        Returns:
            float32 `(3,)`: the learning rate, `1 - beta_1^step`, `1 - beta_2^step`.
            With stages `(S, 3)`, each with a count of its own; a stage that has not
            begun has zeros.
        """
        rows = []
        for stage in range(len(self.starts)):
            made = self.made(stage, step)
            corrections = [
                -math.expm1(made * math.log(b)) if b else 1.0 for b in self.betas
            ]
            rows.append([learning_rate, *corrections] if made else [0.0] * 3)
        return np.array(rows if self.staged else rows[0], "float32")

    def clip(self, gradients):
        """Scale `gradients` so that their global norm is at most `clip_norm`."""
        if self.clip_norm is None:
            return gradients
        norm = ops.sqrt(sum(ops.sum(ops.square(g)) for g in gradients))
        factor = ops.minimum(1.0, self.clip_norm / (norm + 1e-6))
        return [g * factor for g in gradients]

    def update(self, weights, gradients, first, second, manners, scalars):
        """One step over lists of tensors; nothing is changed in place.

        Args:
            weights: list of float tensors.
            gradients: list of float tensors, already summed over the batch.
            first: list of float tensors, first moments.
            second: list of float tensors, second moments.
            manners: list of `Manner`.
            scalars: float `(3,)` or `(S, 3)`, from `scalars`.

        Returns:
            New `weights`, `first` and `second`.
        """
        stages = [scalars]
        if self.staged:
            begun = scalars[:, 1] > 0.0  # (S,)
            gradients = [
                ops.where(begun[manner.stage], g, 0.0)
                for g, manner in zip(gradients, manners, strict=True)
            ]
            # Where nothing moves, nothing is to be corrected either.
            scalars = ops.concatenate(
                [scalars[:, :1], ops.where(begun[:, None], scalars[:, 1:], 1.0)], axis=1
            )
            stages = [scalars[stage] for stage in range(len(self.starts))]
        new_weights, new_first, new_second = [], [], []
        for w, g, m, v, manner in zip(
            weights, self.clip(gradients), first, second, manners, strict=True
        ):
            rate, correction_1, correction_2 = [
                stages[manner.stage][i] for i in range(3)
            ]
            if manner.factor != 1.0:
                rate = rate * manner.factor
            m = self.beta_1 * m + (1.0 - self.beta_1) * g
            v = self.beta_2 * v + (1.0 - self.beta_2) * ops.square(g)
            step = (m / correction_1) / (ops.sqrt(v / correction_2) + self.epsilon)
            if manner.weight_decay:
                w = w * (1.0 - rate * manner.weight_decay)
            new_weights.append(w - rate * step)
            new_first.append(m)
            new_second.append(v)
        return new_weights, new_first, new_second
