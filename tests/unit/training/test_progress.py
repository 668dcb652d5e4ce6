import io

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
    now = iter([100.0, 105.0, 125.0, 126.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    stream = io.StringIO()
    with progress.make_progress(100, stream=stream) as shown:
        for _ in range(3):
            shown.step(50)
            shown.show(RECORD)
        shown.say("evaluated")
    assert stream.getvalue().splitlines() == [
        "step 50/100: loss 0.2500 · rate 1.0e-03 · 1,234 rows/s · 12% pad · "
        "0:00:25 left",
        "evaluated",
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


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_silence(stream):
    with progress.make_progress(100, shown=False, stream=stream) as shown:
        shown.step(1)
        shown.show(RECORD)
        shown.say("nothing")
    assert stream.getvalue() == ""
