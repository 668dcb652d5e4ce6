"""The second signal ends at once, and the last line says what is kept."""

import os
import signal
import sys

import pytest

from kzoo.training.interruption import Interruption, insistent


class Ended(BaseException):
    """In the place of the end of this process."""


def end(code):
    raise Ended(code)


@pytest.mark.parametrize(
    "steps, kept",
    [([10, 1200], "the run is kept as of step 1,200"), ([], "no step is kept")],
)
@pytest.mark.parametrize(
    "number, word", [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")]
)
def test_last_words(monkeypatch, capfd, steps, kept, number, word):
    monkeypatch.setattr(os, "_exit", end)
    before = signal.getsignal(number)
    with Interruption(True, "; `kzoo resume a` continues it", lambda: steps) as asked:
        signal.raise_signal(signal.SIGINT)
        assert asked.asked == signal.SIGINT
        with pytest.raises(Ended, match=str(128 + number)):
            signal.raise_signal(number)
    assert signal.getsignal(number) == before
    assert capfd.readouterr().err == (
        "interrupted: finishes this step and saves; again ends at once\n"
        f"Error: {word} at once; {kept}; `kzoo resume a` continues it.\n"
    )


def test_no_words_without_progress(monkeypatch, capfd):
    monkeypatch.setattr(os, "_exit", end)
    with Interruption(shown=False):
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(Ended):
            signal.raise_signal(signal.SIGINT)
    assert capfd.readouterr().err == ""


def test_a_signal_in_a_callback_is_raised_again(monkeypatch):
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)

    class Gone:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt), insistent():
        Gone()
    assert reported == []  # No "Exception ignored in".


def test_a_swallowed_signal_is_raised_again():
    before = signal.getsignal(signal.SIGINT)
    reached = []
    with pytest.raises(KeyboardInterrupt), insistent():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            reached.append("swallowed")
    assert reached == ["swallowed"]
    with pytest.raises(KeyboardInterrupt), insistent():
        signal.raise_signal(signal.SIGINT)
        reached.append("never")
    with insistent():
        reached.append("quiet")
    assert reached == ["swallowed", "quiet"]
    assert signal.getsignal(signal.SIGINT) == before
