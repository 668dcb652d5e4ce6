import io
import threading

import pytest

from kzoo.training import progress

RECORD = {
    "step": 50,
    "loss": 0.25,
    "learning_rate": 1e-3,
    "examples_per_second": 1234.5,
    "padding_share": 0.125,
}


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_lines_come_at_an_interval(monkeypatch):
    now = iter([100.0, 105.0, 125.0, 126.0, 146.0, 156.0, 166.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    stream = io.StringIO()
    with progress.make_progress(100, stream=stream) as shown:
        for step in (10, 20, 30):
            shown.step(step)
            shown.show({**RECORD, "step": step}, compiled=step < 30)
        shown.say("evaluated")
        shown.show({**RECORD, "step": 50})
        shown.show({**RECORD, "step": 60}, compiled=True)
        shown.show({**RECORD, "step": 70})
    words = "loss 0.2500 · rate 1.0e-03 · 1,234 rows/s · 12% pad"
    assert stream.getvalue().splitlines() == [
        f"step 20/100: {words}",  # Both windows compiled: nothing is known yet.
        "evaluated",
        f"step 50/100: {words} · 0:00:35 left",  # 30 steps took 21 s.
        f"step 60/100: {words} · 0:00:28 left",
        f"step 70/100: {words} · 0:00:23 left",
    ]


def test_the_first_window_gives_no_estimate(monkeypatch):
    now = iter([0.0, 40.0, 50.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    stream = io.StringIO()
    with progress.make_progress(30, stream=stream, made=10) as shown:
        shown.show({**RECORD, "step": 11})
        shown.show({**RECORD, "step": 12})
    assert [line.partition("pad")[2] for line in stream.getvalue().splitlines()] == [
        "",
        " · 0:03:00 left",
    ]


def test_a_bar_shows_what_is_going_on():
    stream = Terminal()
    with progress.make_progress(100, stream=stream) as shown:
        shown.step(50)
        shown.show(RECORD)
        shown.say("a sentence with [brackets]")
        shown._bar.refresh()
    text = stream.getvalue()
    assert "a sentence with [brackets]" in text
    assert "50/100" in text
    assert "loss 0.2500 · rate 1.0e-03 · 1,234 rows/s · 12% pad" in text
    assert "left" not in text


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_silence(stream):
    with progress.make_progress(100, shown=False, stream=stream) as shown:
        shown.step(1)
        shown.show(RECORD)
        shown.say("nothing")
    assert stream.getvalue() == ""


def test_one_row_a_second_is_one():
    for speed, words in ((1.2, "1 row/s"), (0.2, "0 rows/s"), (1.6, "2 rows/s")):
        said = progress.measures({**RECORD, "examples_per_second": speed})
        assert f" {words} " in said


@pytest.mark.parametrize("patience, said", [(0.0, "why\n"), (1e3, "")])
def test_what_takes_long_is_explained(monkeypatch, patience, said):
    monkeypatch.setattr(progress, "PATIENCE", patience)
    stream = io.StringIO()
    lines = progress.make_progress(100, stream=stream)
    with lines, lines.explaining("why"):
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer) and not patience:
                thread.join()
    assert stream.getvalue() == said
