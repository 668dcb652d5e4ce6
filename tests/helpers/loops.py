"""kzoo's loop on a small model, with what it would measure given beforehand."""

from kzoo.training.callbacks import Callbacks
from kzoo.training.checkpoints import Checkpoints
from kzoo.training.interruption import Interruption
from kzoo.training.loop import Ledger, fit
from kzoo.training.progress import Silent
from kzoo.training.standing import Standing


class Records(list):
    """A log that keeps its records."""

    def write(self, **record):
        self.append(record)

    def of(self, split):
        return [record for record in self if record["split"] == split]


def run_loop(
    small, folder, plan, metrics, stepper=None, rate=1e-2, callbacks=(), standing=None
):
    """Train `small` with dev metrics from a list, one entry per evaluation.

    Returns:
        The `Standing` at the end and the `Records`.
    """
    stepper = stepper or small.stepper()
    metrics, records, standing = iter(metrics), Records(), standing or Standing()
    ledger = Ledger(
        Checkpoints(folder / "checkpoints"),
        records,
        Silent(),
        Interruption(),
        Callbacks(callbacks, stepper, len(small.batches), epochs=3),
    )
    fit(
        stepper,
        small.batches,
        lambda step: rate,
        lambda: next(metrics),
        plan,
        ledger,
        standing,
    )
    return standing, records


def accuracies(*values):
    return [{"accuracy": value, "loss": 1.0} for value in values]
