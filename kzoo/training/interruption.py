"""Ctrl-C and SIGTERM: the first asks for an orderly end, the second ends at once."""

import contextlib
import os
import signal
import sys

from kzoo_recipes import Terminated

WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


@contextlib.contextmanager
def insistent():
    """Heed a signal at the latest at the end, if its exception was swallowed before.

    Frameworks do that in callbacks, where Python can only report an exception.
    """
    came, before, report = [], {}, sys.unraisablehook

    def hook(unraisable):
        if not (came and issubclass(unraisable.exc_type, KeyboardInterrupt)):
            report(unraisable)

    def heed(number, frame):
        came.append(number)
        before[number](number, frame)

    with contextlib.suppress(ValueError):  # Not the main thread.
        for number in WORDS:
            if callable(handler := signal.getsignal(number)):
                before[number] = handler
                signal.signal(number, heed)
    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = report
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        before[came[0]](came[0], None)


class Interruption(contextlib.AbstractContextManager):
    """Notes a signal, so that the loop can finish its step and save.

    Outside of the main thread, where Python allows no handlers, it notes nothing.

    Args:
        shown: bool. Whether to say on stderr what was noted.
        hint: str. How to go on later.
        kept: function without arguments that gives the steps that are saved.

    Attributes:
        asked: int or `None`. The signal that came.
    """

    def __init__(self, shown=True, hint="", kept=list):
        self.asked, self._shown, self._hint, self._kept = None, shown, hint, kept
        self._before = {}

    def __enter__(self):
        with contextlib.suppress(ValueError):  # Not the main thread.
            for number in WORDS:
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_):
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    def _note(self, number, frame):
        if self.asked is not None:
            # Nothing is half written under its own name, so there is nothing to undo.
            try:
                self._say(self._last_words(number))
            finally:
                os._exit(128 + number)
        self.asked = number
        self._say(
            f"{WORDS[number]}: finishes this step and saves; again ends at once\n"
        )

    def _last_words(self, number):
        """Which step is kept; on a terminal, in the place of the bar."""
        steps = []
        with contextlib.suppress(OSError):
            steps = self._kept()
        kept = (
            f"the run is kept as of step {steps[-1]:,}" if steps else "no step is kept"
        )
        bar = "\x1b[?25h\r\x1b[2K" if os.isatty(2) else ""  # The bar hid the cursor.
        return f"{bar}Error: {WORDS[number]} at once; {kept}{self._hint}.\n"

    def _say(self, text):
        """Write to stderr, past Python's buffers, which a handler must not touch."""
        if self._shown and text:
            with contextlib.suppress(OSError):
                os.write(2, text.encode())

    def end(self, text):
        """End the program as the signal asked: 130 or 143, with a sentence."""
        text = f"{WORDS[self.asked]} {text}{self._hint}."
        if self.asked == signal.SIGTERM:
            raise Terminated(text)
        raise KeyboardInterrupt(text)
