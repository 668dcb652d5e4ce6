"""Text on a screen, wrapped while it is written."""

import re
import sys

import click

from .output import one_line, screen_width


class Flow:
    """Prints words as they become known, in lines that fit the screen.

    A word is known once white space follows it, or the text ends.

    Args:
        heading: str. What stands above the text; printed with its first word.
        label: str. What stands before it; further lines begin below its end.
    """

    def __init__(self, heading="", label=""):
        self._room = screen_width()
        self._heading, self._label = heading, label
        self._column = None  # Where the cursor is; nothing is printed yet.
        self._fed = self._held = ""

    def feed(self, piece):
        """Print what of the text so far and `piece` is known to be whole words."""
        self._fed += piece
        *words, self._held = re.split(r"\s+", self._held + piece)
        self._print(words)

    def end(self, text):
        """Print the rest of `text`, or all of it if it is not what was fed."""
        if self._fed and text != self._fed:
            if self._column is not None:
                click.echo()
            self._column, self._held, self._fed = None, "", ""
        if not self._fed:
            self._held = text
        self._print(re.split(r"\s+", self._held))
        if self._column is None:
            self._start(self._label.rstrip())
        click.echo()

    def broken(self):
        """End the line that an error has left unfinished."""
        if self._column is not None:
            click.echo()

    def _print(self, words):
        from rich.cells import cell_len

        for word in filter(None, map(one_line, words)):
            if self._column is None:
                self._start(self._label)
            width, indent = cell_len(word), cell_len(self._label)
            if self._column == indent:
                gap = ""
            elif self._column + 1 + width <= self._room:
                gap = " "
            else:
                gap, self._column = "\n" + " " * indent, indent
            click.echo(gap + word, nl=False)
            self._column += width + (gap == " ")
        sys.stdout.flush()

    def _start(self, label):
        from rich.cells import cell_len

        if self._heading:
            click.echo(self._heading)
        click.echo(label, nl=False)
        self._column = cell_len(label)
