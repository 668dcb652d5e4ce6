"""When to look, what is better, and when to stop: plain rules over step numbers."""

import dataclasses
import math
from fractions import Fraction

from kzoo_recipes import MINIMISED


@dataclasses.dataclass(frozen=True)
class Best:
    """The evaluation that was best, and the step after which it was made.

    Attributes:
        step: int.
        metrics: dict.
    """

    step: int
    metrics: dict


@dataclasses.dataclass(frozen=True)
class Plan:
    """How long to train and what to look at.

    Args:
        total_steps: int.
        evaluate_every: int or `Fraction`. Steps between evaluations; the first step
            at or past each multiple has one, and the last step always.
        metric: str. Decides which evaluation is best. Of equals, the one of lower
            loss, then the first.
        direction: `"max"` or `"min"`, which values are better. `None` is the
            metric's own.
        patience: int. Evaluations in a row without a gain that end the training.
        min_delta: float. What the metric must gain on the last value that counted.
        checkpoint_every: int. Steps between checkpoints; `None` saves with each
            evaluation. Every best evaluation has one, and the last step.
        log_every: int. Steps per training record; reading a loss waits for the device.
    """

    total_steps: int
    evaluate_every: int | Fraction
    metric: str = "accuracy"
    direction: str | None = None
    patience: int | None = None
    min_delta: float = 0.0
    checkpoint_every: int | None = None
    log_every: int = 10

    def evaluates(self, done):
        """Whether dev is looked at after `done` steps."""
        before, now = ((n // self.evaluate_every) for n in (done - 1, done))
        return done == self.total_steps or now > before

    def logs(self, done):
        """Whether a training record is due after `done` steps."""
        return done % self.log_every == 0

    def saves(self, done, evaluated, improved):
        """Whether a checkpoint is due after `done` steps."""
        if improved or done == self.total_steps:
            return True
        if self.checkpoint_every is None:
            return evaluated
        return done % self.checkpoint_every == 0

    def improves(self, metrics, best):
        """Whether `metrics` are better than those of `best`, a `Best` or `None`."""
        return best is None or self._merit(metrics) > self._merit(best.metrics)

    def value(self, metrics):
        """The metric that decides, higher is better; one that is no number is worst."""
        return self._signed(metrics[self.metric])

    def gains(self, value, reference):
        """Whether `value` is better than `reference` by more than `min_delta`."""
        if value == -math.inf:
            return False
        return reference is None or value > reference + self.min_delta

    def _signed(self, number):
        if number is None or math.isnan(number):
            return -math.inf
        falls = self.metric in MINIMISED
        if self.direction is not None:
            falls = self.direction == "min"
        return -number if falls else number

    def _merit(self, metrics):
        loss = metrics["loss"]
        worst = loss is None or math.isnan(loss)
        return self.value(metrics), -math.inf if worst else -loss


def plan_of(settings, total_steps, steps_per_epoch):
    """The `Plan` of a recipe's `[training]`."""
    every = settings.evaluate_every or steps_per_epoch
    if settings.evaluate_every_epochs is not None:
        # As it is written: 0.1 epochs of 30 steps are 3, not 3.0000000000000004.
        every = Fraction(repr(settings.evaluate_every_epochs)) * steps_per_epoch
    return Plan(
        total_steps,
        every,
        metric=settings.metric,
        direction=settings.metric_direction,
        patience=settings.patience,
        min_delta=settings.min_delta,
        checkpoint_every=settings.checkpoint_every,
        log_every=settings.log_every,
    )
