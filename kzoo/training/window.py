"""The steps since the last training record: their losses, read late, and their time."""

import contextlib
import math
import time

from kzoo_recipes import KzooError


class Window:
    """Steps whose losses were not written yet, and what the whole run has seen.

    A loss is a promise of the device; reading it waits. So losses are read when a
    record is due, not after each step.
    """

    def __init__(self):
        self.steps = []  # [step, rate, loss, examples, padding share]
        self.settled = 0  # how many of them hold a loss that was read
        self.examples, self.seconds = 0, 0.0  # of all records
        self.epoch = [0.0, 0]  # sum and number of the epoch's losses
        self.spent = 0.0  # seconds of `steps` before the clock was stopped
        self.started = time.perf_counter()

    def add(self, step, rate, loss, batch):
        self.steps.append([step, rate, loss, batch.examples, batch.padding_share])

    def settle(self):
        """Read the losses, the last of which is returned.

        Raises:
            KzooError: if one is not finite; it names the step and its rate.
        """
        for row in self.steps[self.settled :]:
            step, rate, loss, *_ = row
            row[2] = loss = float(loss)
            if not math.isfinite(loss):
                raise KzooError(
                    f"The loss became {loss} in step {step + 1}, at the learning "
                    f"rate {rate:.3g}: lower [training] learning_rate or lengthen the "
                    "warm-up."
                )
            self.epoch[0] += loss
            self.epoch[1] += 1
        self.settled = len(self.steps)
        return self.steps[-1][2] if self.steps else None

    def record(self):
        """One training record of the steps since the last one."""
        self.settle()
        self.stop_clock()
        step, rate, *_ = self.steps[-1]
        examples = sum(row[3] for row in self.steps)
        self.examples += examples
        self.seconds += self.spent
        record = {
            "step": step + 1,
            "loss": sum(row[2] for row in self.steps) / len(self.steps),
            "learning_rate": rate,
            "examples_per_second": examples / max(self.spent, 1e-9),
            "padding_share": sum(row[4] for row in self.steps) / len(self.steps),
        }
        self.steps, self.settled, self.spent = [], 0, 0.0
        return record

    def epoch_loss(self, close=False):
        """The mean loss of the epoch so far; `close` begins the next one."""
        self.settle()
        total, count = self.epoch
        if close:
            self.epoch = [0.0, 0]
        return total / count if count else None

    def stop_clock(self):
        now = time.perf_counter()
        self.spent += now - self.started
        self.started = now

    def start_clock(self):
        self.started = time.perf_counter()

    @contextlib.contextmanager
    def paused(self):
        """Leave what happens meanwhile out of the training's time."""
        self.settle()
        self.stop_clock()
        yield
        self.start_clock()

    def facts(self):
        """All of it as JSON takes it, the losses read."""
        self.settle()
        names = ("steps", "examples", "seconds", "epoch", "spent")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_facts(cls, facts):
        window = cls()
        for name, value in facts.items():
            setattr(window, name, value)
        window.settled = len(window.steps)
        return window
