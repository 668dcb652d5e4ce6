"""The training loop: the same few lines on every backend."""

import contextlib
import dataclasses

from kzoo.training.callbacks import Callbacks
from kzoo.training.checkpoints import Checkpoints
from kzoo.training.interruption import Interruption
from kzoo.training.progress import Silent

SAID = (
    "f1",
    "accuracy",
    "macro_f1",
    "rouge1",
    "rouge2",
    "perplexity",
    "loss",
)  # and its own; the history has all


@dataclasses.dataclass(frozen=True)
class Ledger:
    """Where a loop writes and whom it listens to.

    Attributes:
        checkpoints: `Checkpoints`.
        logs: anything with `write(**record)`.
        progress: from `make_progress`.
        interruption: `Interruption`.
        callbacks: `Callbacks`.
        starting: str. What to say if the first step takes long; nothing if empty.
    """

    checkpoints: Checkpoints
    logs: object
    progress: Silent
    interruption: Interruption
    callbacks: Callbacks
    starting: str = ""


def fit(stepper, batches, schedule, evaluate, plan, ledger, standing):
    """Train to the end of the plan, or until a signal, patience or a callback ends it.

    Args:
        stepper: from `make_stepper`.
        batches: `batches.at(step)` gives the batch of a step; `len(batches)` makes an
            epoch.
        schedule: function from the step to its learning rate.
        evaluate: function without arguments that returns metrics on dev.
        plan: `Plan`.
        ledger: `Ledger`.
        standing: `Standing` of the stepper. Moves along with it.

    Raises:
        KzooError: if a loss is not finite, or the disk does not take a record.
        KeyboardInterrupt: after SIGINT, once all is saved.
        Terminated: likewise after SIGTERM.
    """
    loop = _Loop(stepper, len(batches), evaluate, plan, ledger, standing)
    hooks = ledger.callbacks
    hooks.train_begin()
    standing.window.start_clock()
    if not standing.evaluated:  # A signal came between the step and its evaluation.
        loop.begin_epoch(standing.step - 1)
        loop.close_step()
    while standing.step < plan.total_steps and not standing.stopped:
        step = standing.step
        if not loop.in_epoch:
            loop.begin_epoch(step)
        hooks.batch_begin(step)
        batch, rate = batches.at(step), schedule(step)
        with loop.explained_once():
            loss = stepper.train(batch, rate)
        standing.window.add(step, rate, loss, batch)
        standing.step = step + 1
        hooks.batch_end(step, standing.window.settle)
        ledger.progress.step(standing.step)
        loop.close_step()
    hooks.train_end(loop.epoch_logs)


class _Loop:
    """What is due after a step: records, evaluations, checkpoints, ends of epochs."""

    def __init__(self, stepper, steps_per_epoch, evaluate, plan, ledger, standing):
        self.stepper, self.evaluate, self.plan = stepper, evaluate, plan
        self.ledger, self.standing = ledger, standing
        self.steps_per_epoch = steps_per_epoch
        self.in_epoch, self.epoch_logs = False, {}
        self.compilations, self.starting = stepper.compilations, ledger.starting

    def explained_once(self):
        """Let the first step say why it takes long, and no other."""
        text, self.starting = self.starting, ""
        if not text:
            return contextlib.nullcontext()
        return self.ledger.progress.explaining(text)

    def begin_epoch(self, step):
        self.in_epoch, self.epoch_logs = True, {}
        self.ledger.callbacks.epoch_begin(step)

    def close_step(self):
        plan, standing, interruption = (
            self.plan,
            self.standing,
            self.ledger.interruption,
        )
        done = standing.step
        self.heed_callbacks()
        due = plan.evaluates(done) or standing.stopped is not None
        if due or plan.logs(done):
            self.write_training_record()
        standing.evaluated = not due
        improved = due and not interruption.asked and self.look_at_dev()
        ends = done % self.steps_per_epoch == 0 or done == plan.total_steps
        if standing.evaluated and (ends or standing.stopped):
            self.end_epoch()
            if self.heed_callbacks() and not due:
                self.write_training_record()
                improved = self.look_at_dev()
        asked = interruption.asked is not None
        if asked or standing.stopped or plan.saves(done, due, improved):
            with standing.window.paused():
                self.ledger.checkpoints.save(standing, self.stepper.state())
        if asked:
            interruption.end(f"at step {done:,} of {plan.total_steps:,}; it is saved")

    def heed_callbacks(self):
        """Take in whether a callback asked for the end; return whether it is new."""
        new = self.ledger.callbacks.stop and not self.standing.stopped
        if new:
            self.standing.stopped = "callback"
        return new

    def write_training_record(self):
        window, done = self.standing.window, self.standing.step
        if not window.steps:
            return  # It was written before a signal came.
        record = window.record()
        epoch = round(done / self.steps_per_epoch, 4)
        self.ledger.logs.write(split="train", epoch=epoch, **record)
        compiled = self.stepper.compilations > self.compilations
        self.compilations = self.stepper.compilations
        self.ledger.progress.show(record, compiled)

    def look_at_dev(self):
        """Evaluate; return whether it is the best evaluation yet."""
        plan, standing, ledger = self.plan, self.standing, self.ledger
        done, total = standing.step, plan.total_steps
        with standing.window.paused():
            ledger.callbacks.test_begin()
            metrics = self.evaluate()
            improved = standing.look(metrics, plan)
            numbers = {k: v for k, v in metrics.items() if isinstance(v, float | int)}
            ledger.callbacks.test_end(numbers)
            ledger.logs.write(split="dev", step=done, **numbers, best=improved)
        self.epoch_logs |= {f"val_{name}": value for name, value in numbers.items()}
        said = {k: v for k, v in numbers.items() if k in (*SAID, plan.metric)}
        ledger.progress.say(sentence(done, total, said, improved))
        if standing.stopped == "patience":
            ledger.progress.say(
                f"step {done}/{total}: {plan.metric} got no better in the last "
                f"{plan.patience} evaluations, so training ends here"
            )
        return improved

    def end_epoch(self):
        with self.standing.window.paused():
            loss = self.standing.window.epoch_loss(close=True)
            self.epoch_logs = {"loss": loss, **self.epoch_logs}
            self.ledger.callbacks.epoch_end(self.standing.step - 1, self.epoch_logs)
        self.in_epoch = False


def sentence(done, total, numbers, improved):
    """An evaluation in words."""
    shown = ", ".join(f"{name} {value:.4f}" for name, value in numbers.items())
    return f"step {done}/{total}: dev {shown}" + (" (best)" if improved else "")
