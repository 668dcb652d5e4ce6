"""The training loop: the same few lines on every backend."""

import dataclasses
import math
import time

from kzoo_recipes import MINIMISED, KzooError

from kzoo.training import checkpoint

LOG_EVERY = 10  # steps per training record; reading a loss waits for the device
SAID = ("accuracy", "macro_f1", "loss")  # and the recipe's own; all are in the history


@dataclasses.dataclass(frozen=True)
class Plan:
    """How long to train and what to look at.

    Args:
        total_steps: int.
        evaluate_every: int. Steps between evaluations; the last step always has one.
        metric: str. Decides which evaluation is best: the highest, or the lowest of
            those in `MINIMISED`. Of equals, the one of lower loss, then the first.
    """

    total_steps: int
    evaluate_every: int
    metric: str = "accuracy"

    def evaluates(self, done):
        return done == self.total_steps or done % self.evaluate_every == 0

    def improves(self, metrics, best):
        if best is None:
            return True
        return self._merit(metrics) > self._merit(best.metrics)

    def _merit(self, metrics):
        sign = -1 if self.metric in MINIMISED else 1
        return sign * metrics[self.metric], -metrics["loss"]


@dataclasses.dataclass(frozen=True)
class Best:
    """The evaluation that was best, and the step after which it was made.

    Attributes:
        step: int.
        metrics: dict.
        examples_per_second: float. Of the whole training, evaluations left out.
    """

    step: int
    metrics: dict
    examples_per_second: float | None = None


class Window:
    """Steps whose losses were not read yet, and the time they took."""

    def __init__(self):
        self.steps = []
        self.examples, self.seconds = 0, 0.0  # of all windows
        self.started = time.perf_counter()

    def add(self, step, rate, loss, batch):
        self.steps.append((step, rate, loss, batch.examples, batch.padding_share))

    def read(self):
        """One training record of the steps since the last reading.

        Raises:
            KzooError: if a loss is not finite; it names the step and its rate.
        """
        losses = []
        for step, rate, loss, *_ in self.steps:
            losses.append(float(loss))
            if not math.isfinite(losses[-1]):
                raise KzooError(
                    f"The loss became {losses[-1]} in step {step + 1}, at the learning "
                    f"rate {rate:.3g}: lower [training] learning_rate or lengthen the "
                    "warm-up."
                )
        now = time.perf_counter()
        step, rate, *_ = self.steps[-1]
        examples = sum(examples for *_, examples, _ in self.steps)
        self.examples += examples
        self.seconds += now - self.started
        record = {
            "step": step + 1,
            "loss": sum(losses) / len(losses),
            "learning_rate": rate,
            "examples_per_second": examples / (now - self.started),
            "padding_share": sum(row[-1] for row in self.steps) / len(self.steps),
        }
        self.steps, self.started = [], now
        return record

    def skip_time(self):
        """Leave the time since the last reading out of the next one."""
        self.started = time.perf_counter()


def fit(stepper, batches, schedule, evaluate, plan, folder, history, progress, start=0):
    """Train, and leave the best weights in the stepper and its model.

    Args:
        stepper: from `make_stepper`.
        batches: `batches.at(step)` gives the batch of a step; `len(batches)` makes an
            epoch.
        schedule: from `make_schedule`.
        evaluate: function without arguments that returns metrics on dev.
        plan: `Plan`.
        folder: `Path`. The best checkpoint is kept in `folder / "best"`.
        history: `History`.
        progress: from `make_progress`.
        start: int. Steps that were made before.

    Returns:
        `Best`.

    Raises:
        KzooError: if a loss is not finite.
    """
    best, window = None, Window()
    for step in range(start, plan.total_steps):
        batch, rate = batches.at(step), schedule(step)
        window.add(step, rate, stepper.train(batch, rate), batch)
        done = step + 1
        progress.step(done)
        evaluates = plan.evaluates(done)
        if evaluates or done % LOG_EVERY == 0:
            record = window.read()
            epoch = done / len(batches)
            history.write(split="train", epoch=round(epoch, 4), **record)
            progress.show(record)
        if evaluates:
            metrics = evaluate()
            improved = plan.improves(metrics, best)
            if improved:
                best = Best(done, metrics)
                facts = {"step": done, "metric": plan.metric}
                value = float(metrics[plan.metric])
                checkpoint.save(folder / "best", stepper.state(), value=value, **facts)
            numbers = {k: v for k, v in metrics.items() if isinstance(v, float | int)}
            history.write(split="dev", step=done, **numbers, best=improved)
            said = {k: v for k, v in numbers.items() if k in (*SAID, plan.metric)}
            progress.say(sentence(done, plan.total_steps, said, improved))
            window.skip_time()
    if best is not None:
        state, _ = checkpoint.load(folder / "best")
        stepper.load_state(state)
        stepper.sync()
        speed = window.examples / window.seconds
        best = dataclasses.replace(best, examples_per_second=speed)
    return best


def sentence(done, total, numbers, improved):
    """An evaluation in words."""
    shown = ", ".join(f"{name} {value:.4f}" for name, value in numbers.items())
    return f"step {done}/{total}: dev {shown}" + (" (best)" if improved else "")
