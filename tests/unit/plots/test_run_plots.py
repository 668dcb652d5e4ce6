"""Curves, confusions, calibration and lengths show what was written and measured."""

import json
import math

import numpy as np
import pytest
from helpers.figures import figures as report
from kzoo_recipes import KzooError

from kzoo import plots


def figures():
    return report() | {"task": "text_classifier"}


def write_run(folder, records):
    folder.mkdir(parents=True)
    lines = [json.dumps(record) for record in records]
    folder.joinpath("history.jsonl").write_text("\n".join(lines) + '\n{"torn": ')
    return folder


def records(best=1, last=0.5):
    train = {"split": "train", "learning_rate": 0.1}
    return [
        {**train, "epoch": 0.5, "step": 5, "loss": 2.0},
        {"split": "dev", "step": 5, "accuracy": 0.5, "loss": 1.5, "best": True},
        {**train, "epoch": 1.0, "step": 10, "loss": None},
        {
            "split": "dev",
            "step": 10,
            "accuracy": 0.75,
            "loss": last,
            "best": best == 2,
        },
    ]


@pytest.fixture
def runs(tmp_path):
    one = write_run(tmp_path / "a" / "jax", records())
    going = write_run(tmp_path / "a" / ".torch.running", records(2, 0.25))
    other = write_run(tmp_path / "b" / "jax", records()[:2])
    return [one, going, other]


def test_curves_are_what_the_runs_wrote(runs, tmp_path):
    found = plots.history([tmp_path / "a", tmp_path / "b" / "jax"])
    assert found["metrics"] == ["loss", "accuracy"]
    assert [one["run"] for one in found["runs"]] == ["a/jax", "a/torch", "b/jax"]
    assert [one["best"] for one in found["runs"]] == [5, 10, 5]
    assert found["runs"][1]["curves"] == {
        "loss": {
            "train": {"step": [5, 10], "epoch": [0.5, 1.0], "value": [2.0, None]},
            "dev": {"step": [5, 10], "epoch": [0.5, 1.0], "value": [1.5, 0.25]},
        },
        "accuracy": {
            "dev": {"step": [5, 10], "epoch": [0.5, 1.0], "value": [0.5, 0.75]}
        },
    }


@pytest.mark.parametrize("by", ["step", "epoch"])
def test_a_figure_of_curves(runs, by):
    found = plots.history(runs)
    left, right = plots.history_figure(found, by).axes
    lines = {line.get_label(): line for line in left.lines}
    assert lines["a/jax, dev"].get_ydata().tolist() == [1.5, 0.5]
    first, second = lines["a/jax, train"].get_ydata()
    assert first == 2.0 and math.isnan(second)
    expected = [5, 10] if by == "step" else [0.5, 1.0]
    assert list(lines["a/torch, dev"].get_xdata()) == expected
    assert left.get_ylabel() == "loss (nats)" and right.get_ylabel() == "accuracy"
    stars = [line for line in right.lines if line.get_marker() == "*"]
    assert [star.get_ydata()[0] for star in stars] == [0.5, 0.75, 0.5]


@pytest.mark.parametrize(
    "ask, message",
    [
        (lambda d: plots.history([d / "none"]), "there is no such run"),
        (lambda d: plots.history([d / "empty"]), "holds none: it has no history.jsonl"),
        (lambda d: plots.history([d / "a"], ["nope"]), "there is learning_rate, loss,"),
        (lambda d: plots.history([d / "new"]), "has no record yet"),
    ],
)
def test_runs_that_cannot_be_drawn_are_named(runs, tmp_path, ask, message):
    for name in ("empty", "new"):
        tmp_path.joinpath(name).mkdir()
    tmp_path.joinpath("new", "history.jsonl").touch()
    with pytest.raises(KzooError, match=message):
        ask(tmp_path)


@pytest.mark.parametrize("count", [1, 2, 30])
def test_confusions(count):
    names = [f"kind {number}" for number in range(count)]
    counts = np.arange(count * count).reshape(count, count).tolist()
    told = figures() | {"labels": names, "confusion": counts}
    found = plots.confusion(told)
    assert (found["gold"], found["counts"]) == (names, counts)
    axis = plots.confusion_figure(found).axes[0]
    shares = axis.images[0].get_array()
    totals = np.array(counts).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares * totals, counts, atol=1e-9)
    written = [text.get_text() for text in axis.texts]
    assert written == ([f"{n:,}" for n in np.ravel(counts)] if count < 25 else [])


def test_confusions_of_entities_have_a_border():
    told = figures() | {"labels": ["A"], "confusion": [[3, 1], [2, 0]]}
    found = plots.confusion(told)
    assert (found["gold"], found["predicted"]) == (["A", "spurious"], ["A", "missed"])
    written = [text.get_text() for text in plots.confusion_figure(found).axes[0].texts]
    assert written == ["3", "1", "2"]


def test_calibration():
    told = figures()
    found = plots.calibration(told)
    assert found["bins"] == told["calibration"]
    top, below = plots.calibration_figure(found).axes
    filled = [one for one in found["bins"] if one["rows"]]
    measured = {line.get_label(): line for line in top.lines}["measured"]
    assert measured.get_xdata().tolist() == [one["confidence"] for one in filled]
    assert measured.get_ydata().tolist() == [one["accuracy"] for one in filled]
    heights = [patch.get_height() for patch in below.patches]
    assert heights == [one["rows"] for one in found["bins"]]


@pytest.mark.parametrize("ask", [plots.confusion, plots.calibration])
@pytest.mark.parametrize(
    "told, message",
    [
        ({"accuracy": 1.0}, "this is no evaluation"),
        ([], "this is no evaluation"),
        ({"run": "r", "source": "s", "task": "summarizer"}, "r has no "),
    ],
)
def test_what_is_no_evaluation_of_labels(ask, told, message):
    with pytest.raises(KzooError, match=message):
        ask(told)


def test_lengths(tokenizer):
    texts = {"train": ["the cat", "a " * 30, ""], "dev": ["the red mat"]}
    found = plots.lengths(texts, tokenizer, 8)
    assert found == {
        "cut": 8,
        "splits": {
            "train": {"lengths": [4, 32, 2], "longer": 1},
            "dev": {"lengths": [5], "longer": 0},
        },
    }
    [axis] = plots.lengths_figure({"text": found}).axes
    values, edges, _ = axis.patches[0].get_data()
    for length in found["splits"]["train"]["lengths"]:
        assert values[np.searchsorted(edges, length, side="right") - 1] == 1 / 3
    assert sum(values) == pytest.approx(1)
    [mark] = axis.lines
    assert list(mark.get_xdata()) == [8.5, 8.5]
    labels = [text.get_text() for text in axis.get_legend().get_texts()]
    assert labels == ["train, 3 texts", "dev, 1 text", mark.get_label()]
    assert mark.get_label() == "8 are read; 1 text (25.0%) is longer"
