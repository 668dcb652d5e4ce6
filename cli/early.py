"""Ctrl-C and SIGTERM while modules are imported: the program ends at once.

An exception would not do: imported code may swallow it, frameworks do, and the program
would go on. Nothing is written then that would have to be undone.
"""

import os
import signal

WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


class EndsAtOnce:
    """Within it, a signal ends the process with 128 + its number and one line.

    Outside of the main thread, where Python allows no handlers, it does nothing.

    Args:
        screen: int. The file descriptor to write the line to.
    """

    def __init__(self, screen=2):
        self._screen, self._before = screen, {}

    def __enter__(self):
        try:
            for number in WORDS:
                self._before[number] = signal.signal(number, self._end)
        except ValueError:  # Not the main thread.
            self._before = {}
        return self

    def __exit__(self, *_):
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _end(self, number, frame):
        try:
            os.write(self._screen, f"Error: {WORDS[number]}.\n".encode())
        finally:
            os._exit(128 + number)
