"""How a run looks while it goes on: a bar, lines, or nothing. Always on stderr."""

import contextlib
import sys
import threading
import time

from kzoo_recipes.wording import folded

PLAIN_INTERVAL = 10.0  # seconds between lines when nobody watches
PATIENCE = 3.0  # seconds of silence before it is explained


def make_progress(total_steps, shown=True, made=0, stream=None):
    """A context manager with `step`, `show`, `say` and `explaining`.

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

    def show(self, record, compiled=False):
        """Show a record of the history: loss, rate, speed and padding.

        `compiled` says whether a program was compiled since the last one.
        """

    def say(self, text):
        """Say a sentence that stays."""

    def note(self, text):
        """Say a sentence that may be long, in lines."""

    def explaining(self, text):
        """A context manager that says `text` if what is within it takes long."""
        return explained(self.say, text)


@contextlib.contextmanager
def explained(say, text):
    """Call `say(text)` from another thread if what is within lasts for seconds."""
    timer = threading.Timer(PATIENCE, say, [text])
    timer.daemon = True  # It holds nothing up that ends meanwhile.
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def measures(record):
    """The numbers of a training record, in words."""
    speed = f"{record['examples_per_second']:,.0f}"
    return (
        f"loss {record['loss']:.4f} · rate {record['learning_rate']:.1e} · "
        f"{speed} {'row' if speed == '1' else 'rows'}/s · "
        f"{record['padding_share']:.0%} pad"
    )


class Pace:
    """How long the steps that are left will take, once that can be told.

    Windows that compiled something say nothing of those to come, nor does the first.

    Args:
        made: int. Steps that were made before.
    """

    def __init__(self, made):
        self.began, self.step, self.first = time.monotonic(), made, True
        self.seconds, self.steps = 0.0, 0

    def note(self, step, compiled):
        """Take in the window that ends with `step`; return the time."""
        now = time.monotonic()
        if not compiled and not self.first:
            self.seconds += now - self.began
            self.steps += step - self.step
        self.began, self.step, self.first = now, step, False
        return now

    def left(self, total):
        """The time that is left, in words; empty as long as nobody knows."""
        if not self.steps:
            return ""
        return clock(self.seconds / self.steps * (total - self.step))


class Lines(Silent):
    """A line now and then, for logs and pipes."""

    def __init__(self, total_steps, stream, made=0):
        self.total_steps, self.stream = total_steps, stream
        self.pace = Pace(made)
        self.said = self.pace.began

    def show(self, record, compiled=False):
        now = self.pace.note(record["step"], compiled)
        if now - self.said < PLAIN_INTERVAL:
            return
        self.said = now
        left = self.pace.left(self.total_steps)
        self.say(
            f"step {record['step']}/{self.total_steps}: {measures(record)}"
            + (f" · {left}" if left else "")
        )

    def say(self, text):
        print(text, file=self.stream, flush=True)

    def note(self, text):
        self.say(folded(text))


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
            progress.TextColumn("{task.fields[left]}"),
            console=Console(file=stream),
            refresh_per_second=4,
            transient=True,
        )
        self._task = self._bar.add_task(
            "", total=total_steps, completed=made, measures="starting", left=""
        )
        self._pace, self._total = Pace(made), total_steps

    def __enter__(self):
        self._bar.start()
        return self

    def __exit__(self, *_):
        self._bar.stop()

    def step(self, done):
        self._bar.update(self._task, completed=done)

    def show(self, record, compiled=False):
        self._pace.note(record["step"], compiled)
        left = self._pace.left(self._total)
        self._bar.update(self._task, measures=measures(record), left=left)

    def say(self, text):
        self._bar.console.print(text, markup=False, highlight=False)

    note = say  # The console knows how wide it is.
