"""How a run looks while it goes on: a bar, lines, or nothing. Always on stderr."""

import contextlib
import sys
import time

PLAIN_INTERVAL = 10.0  # seconds between lines when nobody watches


def make_progress(total_steps, shown=True, made=0, stream=None):
    """A context manager with `step`, `show` and `say`.

    Args:
        total_steps: int.
        shown: bool. `False` gives one that is silent.
        made: int. Steps that were made before.
        stream: text file. `None` is stderr. A terminal gets a bar, others get lines.
    """
    stream = stream or sys.stderr
    if not shown:
        return Silent()
    return (Bar if stream.isatty() else Lines)(total_steps, stream, made)


class Silent(contextlib.AbstractContextManager):
    """Shows nothing."""

    def __exit__(self, *_):
        pass

    def step(self, done):
        """Note that `done` steps are done. Called after each, so it must be cheap."""

    def show(self, record):
        """Show a record of the history: loss, rate, speed and padding."""

    def say(self, text):
        """Say a sentence that stays."""


def measures(record):
    """The numbers of a training record, in words."""
    return (
        f"loss {record['loss']:.4f} · rate {record['learning_rate']:.1e} · "
        f"{record['examples_per_second']:,.0f} rows/s · "
        f"{record['padding_share']:.0%} pad"
    )


class Lines(Silent):
    """A line now and then, for logs and pipes."""

    def __init__(self, total_steps, stream, made=0):
        self.total_steps, self.stream, self.made = total_steps, stream, made
        self.started = self.said = time.monotonic()

    def show(self, record):
        now = time.monotonic()
        if now - self.said < PLAIN_INTERVAL:
            return
        self.said = now
        done = record["step"]
        pace = (now - self.started) / max(done - self.made, 1)
        left = pace * (self.total_steps - done)
        self.say(f"step {done}/{self.total_steps}: {measures(record)} · {clock(left)}")

    def say(self, text):
        print(text, file=self.stream, flush=True)


def clock(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02} left"


class Bar(Silent):
    """A bar that follows every step."""

    def __init__(self, total_steps, stream, made=0):
        from rich import progress
        from rich.console import Console

        self._bar = progress.Progress(
            progress.BarColumn(bar_width=8),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.fields[measures]}"),
            progress.TimeRemainingColumn(compact=True, elapsed_when_finished=True),
            console=Console(file=stream),
            refresh_per_second=4,
            transient=True,
        )
        self._task = self._bar.add_task(
            "", total=total_steps, completed=made, measures="starting"
        )

    def __enter__(self):
        self._bar.start()
        return self

    def __exit__(self, *_):
        self._bar.stop()

    def step(self, done):
        self._bar.update(self._task, completed=done)

    def show(self, record):
        self._bar.update(self._task, measures=measures(record))

    def say(self, text):
        self._bar.console.print(text, markup=False, highlight=False)
