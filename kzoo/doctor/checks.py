"""What a check is, and what it found."""

import dataclasses
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Check:
    """One question to the running backend.

    Attributes:
        ask: function from an empty folder to what it found, `(as_expected, words)`.
            An exception is an answer, too: not as expected.
        meaning: str. What it means for the user if the answer is another.
    """

    ask: Callable
    meaning: str


def answer(check, folder):
    """Ask, and let no check end the others.

    Args:
        check: `Check`.
        folder: `Path`. Empty, for the check to write in.

    Returns:
        dict of `expected`, bool, and `found`, str.
    """
    try:
        expected, found = check.ask(folder)
    except Exception as error:
        expected, found = False, f"it raises {said(error)}"
    return {"expected": bool(expected), "found": found}


def attempt(function):
    """Call `function`; return its result, or the exception that it raised."""
    try:
        return function()
    except Exception as error:
        return error


def said(error):
    """An exception in a few words: its kind and its first line."""
    first, *_ = [*str(error).strip().splitlines(), ""]
    return f"{type(error).__name__}: {first[:120]}" if first else type(error).__name__


def raises(result, where, backend):
    """What `attempt` gave, when only the backends of `where` should raise."""
    raised = isinstance(result, Exception)
    found = f"raises {said(result)}" if raised else "no error"
    return raised == (backend in where), found
