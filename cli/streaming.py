"""Predicting texts as they come: one chunk of them in memory at a time."""

import sys
import time

from .output import counted, note

CHUNK = 4096  # texts; sorted by length within
CHARACTERS = 4_000_000  # of a chunk of long texts
SHOWN = 10  # rows that cannot be read are named; of more, the number is told
PATIENCE = 2.0  # seconds before progress is shown
INTERVAL = 10.0  # seconds between lines of progress where nobody watches


class Stream:
    """Collects texts and writes their answers, chunk by chunk, in order.

    Attributes:
        rows, blank, broken: int. How many texts were answered, hold nothing but white
            space, could not be read.

    Args:
        ask: function from a list of `Text` to answers.
        write: function of texts and answers.
        flush: function, called after each chunk.
        progress: `Progress`.

    `chunk`, an int, may be set: how many texts are asked at a time, at most; `None` is
    `CHUNK`.
    """

    chunk = None

    def __init__(self, ask, write, flush, progress):
        self.ask, self.write = ask, write
        self.flush_output, self.progress = flush, progress
        self.rows = self.blank = self.broken = 0
        self._long = False  # Lines that someone types are no long stream.
        self._waiting, self._characters = [], 0

    def add(self, text):
        self._waiting.append(text)
        self._characters += len(text.text)
        full = len(self._waiting) >= (self.chunk or CHUNK)
        if full or self._characters >= CHARACTERS:
            self._long = True
            self.flush()

    def flush(self):
        """Answer what waits."""
        texts, self._waiting, self._characters = self._waiting, [], 0
        if not texts:
            return
        self.write(texts, self.ask(texts))
        self.flush_output()
        self.rows += len(texts)
        self.blank += sum(not text.text or text.text.isspace() for text in texts)
        if self._long:  # However long that takes.
            self.progress.show(self.rows)

    def skip(self, error):
        """Say that a row cannot be read, and go on."""
        self.broken += 1
        if self.broken <= SHOWN:
            self.progress.say(f"Skipped: {error}")
        elif self.broken == SHOWN + 1:
            self.progress.say("Skipped: more rows, which are counted only.")


class Progress:
    """Rows and rows per second on stderr, once a stream takes long.

    Args:
        shown: bool. `False` keeps silent.
    """

    def __init__(self, shown=True):
        self._shown, self._live = shown, shown and sys.stderr.isatty()
        self._started = self._said = time.monotonic()
        self._bar = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._bar is not None:
            self._bar.stop()

    def show(self, rows):
        now = time.monotonic()
        if not self._shown or now - self._started < PATIENCE:
            return
        speed = rows / (now - self._started)
        if self._live:
            self._follow(rows, speed)
        elif now - self._said >= INTERVAL:
            self._said = now
            note(f"{counted(rows, 'row')}, {speed:,.0f} a second")

    def say(self, text):
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            note(text)

    def _follow(self, rows, speed):
        if self._bar is None:
            from rich import progress
            from rich.console import Console

            self._bar = progress.Progress(
                progress.SpinnerColumn(),
                progress.TextColumn("{task.fields[rows]}"),
                progress.TextColumn("{task.fields[speed]:,.0f} a second"),
                progress.TimeElapsedColumn(),
                console=Console(file=sys.stderr),
                refresh_per_second=4,
                transient=True,
            )
            self._task = self._bar.add_task("", total=None, speed=speed, rows="")
            self._bar.start()
        shown = counted(rows, "row")
        self._bar.update(self._task, completed=rows, speed=speed, rows=shown)
