"""`kzoo plot`: into a terminal, a file, or JSON; and one sentence where it cannot."""

import json

import numpy as np
import pytest
from helpers.figures import figures as report
from PIL import Image

import kzoo
from kzoo import plots

TEXT = "the cat sat"


def figures():
    return report() | {"task": "text_classifier"}


@pytest.fixture(scope="module")
def saved(classifier, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "tiny.keras"
    classifier.save(path)
    return path


@pytest.fixture
def evaluation(tmp_path):
    path = tmp_path / "figures.json"
    path.write_text(json.dumps(figures()))
    return path


def test_attention_into_each_place(command, saved, classifier, tmp_path):
    asked = ("attention", saved, TEXT)
    shown = command(*asked)
    assert shown.exit_code == 0 and "layer 2, mean of 2 heads" in shown.stdout
    assert "1 the" in shown.stdout and "--layers" in shown.stderr
    told = json.loads(command(*asked, "--json").stdout)
    expected = plots.attention(classifier, TEXT)
    np.testing.assert_allclose(told["weights"], expected.weights, rtol=1e-6)
    for name in ("a.png", "a.html"):
        done = command(*asked, "--output", name, "--layers", "0-1", "--heads", "mean")
        assert (done.exit_code, done.stdout, done.stderr) == (0, "", f"Wrote {name}\n")
        assert tmp_path.joinpath(name).stat().st_size > 1000
    again = command(*asked, "--output", "a.png")
    assert again.exit_code == 2
    assert again.stderr == "Error: a.png is there already; --force replaces it.\n"
    assert command(*asked, "--output", "a.png", "--force").exit_code == 0


@pytest.mark.parametrize(
    "words, message",
    [
        (["--layers", "3"], "there is no layer 3; layers are counted from 0"),
        (["--heads", "a"], "'a' is no list as 0,2-4, nor mean."),
        (["--layers", "2-1"], "'2-1' is no list as 0,2-4."),
        (["--tokens", "7:9"], "there are no tokens 7:9; there are 5, counted from 0."),
        (["--tokens", "7"], "'7' is no part as 0:40."),
        (["--kind", "cross"], "has an encoder only, so it has no cross attention."),
        (["--target", "a"], "--target is what a summarizer wrote;"),
        (["--rollout", "--heads", "mean"], "--rollout is of all heads at once"),
        (["--rollout", "--kind", "cross"], "--rollout follows one text"),
        (["--size", "4"], "'4' is no WxH in inches from 1 to 100, as 8x5."),
        (["--size", "4x4"], "--size is of a figure; name one with --output"),
        (["--output", "a.gif"], "a.gif ends in none of .png, .svg, .pdf or .html"),
        (["--output", "none/a.png"], "there is no folder none to write to."),
    ],
)
def test_wrong_options_are_one_sentence(command, saved, words, message):
    done = command("attention", saved, TEXT, *words)
    assert done.exit_code == 2 and not done.stdout
    assert message in done.stderr and done.stderr.count("\n") == 1


def test_attention_of_a_text_with_its_picture(command, pictured, tmp_path):
    pictured.save(tmp_path / "pictured.keras")
    Image.new("RGB", (5, 4), "red").save(tmp_path / "red.png")
    asked = ("attention", "pictured.keras", "the cat")
    done = command(*asked, "--image", "red.png")
    assert done.exit_code == 0 and "7 patch 1.1" in done.stdout
    done = command(*asked, "--image", "none.png")
    assert done.stderr == "Error: none.png: there is no such file.\n"
    assert (command(*asked).exit_code, done.exit_code) == (2, 2)


def test_a_text_that_is_too_long(command, saved):
    done = command("attention", saved, "the cat " * 9)
    assert done.exit_code == 2
    assert done.stderr == (
        "Error: the text has 20 tokens, and the model reads 16 at once; give it a part "
        "of the text.\n"
    )


def test_matplotlib_that_is_missing(command, evaluation, monkeypatch):
    find = kzoo.plots.canvas.importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec",
        lambda name: None if name == "matplotlib" else find(name),
    )
    done = command("calibration", evaluation, "--output", "a.png")
    assert done.exit_code == 2
    assert done.stderr == (
        "Error: figures need Matplotlib, which is not installed; "
        '`pip install "kzoo[plots]"` brings it.\n'
    )
    assert command("calibration", evaluation).exit_code == 0  # A terminal needs none.


@pytest.mark.parametrize("kind", ["confusion", "calibration"])
def test_evaluations_of_a_file(command, evaluation, kind, tmp_path):
    told = json.loads(command(kind, evaluation, "--json").stdout)
    assert told == json.loads(json.dumps(getattr(plots, kind)(figures())))
    shown = command(kind, evaluation)
    assert shown.exit_code == 0 and figures()["run"] in shown.stdout
    assert command(kind, evaluation, "--output", "a.svg").exit_code == 0
    assert tmp_path.joinpath("a.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    "content, message",
    [
        (None, "figures.json: there is no such file."),
        (
            "{",
            "figures.json is no JSON; name a file of what `kzoo evaluate RUN --json` "
            "printed.",
        ),
        ("[]", "this is no evaluation: it is what `kzoo evaluate RUN --json` prints."),
    ],
)
def test_files_that_are_no_evaluation(command, tmp_path, content, message):
    if content is not None:
        tmp_path.joinpath("figures.json").write_text(content)
    done = command("confusion", "figures.json")
    assert (done.exit_code, done.stderr) == (2, f"Error: {message}\n")


def test_history(command, tmp_path):
    folder = tmp_path / "saved_models" / "mine" / "jax"
    folder.mkdir(parents=True)
    record = {"split": "train", "epoch": 1.0, "step": 3, "loss": 0.5}
    folder.joinpath("history.jsonl").write_text(json.dumps(record))
    shown = command("history", "mine", "--by", "epoch")
    assert shown.exit_code == 0 and "o mine/jax, train" in shown.stdout
    told = json.loads(command("history", "mine", "--json", "--metrics", "loss").stdout)
    assert told == json.loads(json.dumps(plots.history([folder], ["loss"])))
    assert command("history", "mine", "--output", "h.png").exit_code == 0
    done = command("history", "yours")
    assert done.exit_code == 2 and done.stderr.startswith("Error: yours: there is no")


def test_positions(command, saved, tmp_path):
    for what in ("sinusoidal", "rotary", "alibi", saved):
        shown = command("positions", what, "--length", 12)
        assert shown.exit_code == 0 and len(shown.stdout) > 500
    told = json.loads(command("positions", "alibi", "--heads", 2, "--json").stdout)
    [panel] = plots.named_positions("alibi", num_heads=2)
    assert told["panels"][0]["heads"] == panel["heads"].tolist()
    assert command("positions", saved, "--output", "p.pdf").exit_code == 0
    assert tmp_path.joinpath("p.pdf").read_bytes()[:5] == b"%PDF-"


@pytest.mark.parametrize(
    "words, message",
    [
        (["text_classifier"], 'its positions, "neighbours", are trained; train it'),
        (["alibi", "--dim", "9"], "8 heads do not divide 9 dimensions"),
        (["rotary", "--dim", "24"], "Rotary positions need an even `head_dim`."),
        (
            ["text_classifier", "--dim", "8"],
            "--dim and --heads are of a scheme by name",
        ),
    ],
)
def test_positions_that_cannot_be_drawn(command, words, message):
    done = command("positions", *words)
    assert done.exit_code == 2 and message in done.stderr


def test_lengths(command, saved, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("text,label\nthe cat,a\n" + "the cat " * 12 + ",b\n")
    told = json.loads(command("lengths", saved, "--data", rows, "--json").stdout)
    assert told == {
        "text": {"cut": 16, "splits": {"texts": {"lengths": [4, 26], "longer": 1}}}
    }
    shown = command("lengths", saved, "--data", rows)
    assert "16 are read; 1 text (50.0%) is longer" in shown.stdout
    changed = [f"--set=data.{split}={rows}" for split in ("train", "dev", "test")]
    own = command("lengths", "text_classifier", *changed, "--json")
    assert [*json.loads(own.stdout)["text"]["splits"]] == ["train", "dev", "test"]


@pytest.mark.parametrize(
    "words, message",
    [
        (
            ["text_classifier", "--data", "x.csv"],
            "a recipe takes --set data.train=FILE",
        ),
        (["zoo:text_classifier"], "of a model, name rows with --data FILE."),
        (["text_classifier", "--text", "x"], "--text says how the rows of --data"),
        (["x.keras", "--data", "x.csv", "--set", "seed=1"], "--set changes a recipe"),
    ],
)
def test_lengths_that_cannot_be_measured(command, words, message):
    done = command("lengths", *words)
    assert done.exit_code == 2 and message in done.stderr


def test_there_is_no_such_plot(command):
    done = command("atention")
    assert done.exit_code == 2
    assert 'there is no plot "atention"; did you mean "attention"?' in done.stderr
