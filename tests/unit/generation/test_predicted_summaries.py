"""`kzoo predict` of a summarizer that nobody trained: odd documents, every search."""

import csv
import json
import sys

import keras
import numpy as np
import pytest
from click.testing import CliRunner
from helpers.toys import once
from kzoo_cli.group import group

import kzoo

pytestmark = once
TEXTS = ["the lift stopped on monday", "a fuse had blown and it runs again", "? ! ."]
LONG = " ".join([TEXTS[1]] * 3)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The path of a model that reads 12 tokens and writes 6."""
    kzoo.set_seed(3)
    tokenizer = kzoo.Tokenizer.train(TEXTS, "wordpiece", 60, True, 1)
    sizes = (tokenizer.vocabulary_size, 1, 2, 8, 8)
    path = tmp_path_factory.mktemp("models") / "model.keras"
    kzoo.Seq2Seq(
        kzoo.layers.TransformerEncoder(*sizes, name="encoder"),
        kzoo.layers.TransformerDecoder(*sizes, name="decoder"),
        start_id=tokenizer.start_id,
        end_id=tokenizer.end_id,
        source_length=12,
        target_length=6,
    ).attach(tokenizer).save(path)
    return path


@pytest.fixture
def predict(model, monkeypatch, tmp_path):
    """Run `kzoo predict` on it, in this process: `predict("text", "--json")`."""
    monkeypatch.setenv("KERAS_BACKEND", keras.backend.backend())
    monkeypatch.setenv("COLUMNS", "40")
    if "tensorflow" not in sys.modules:  # What the command says of it is undone.
        monkeypatch.setitem(sys.modules, "tensorflow", None)
        monkeypatch.delitem(sys.modules, "tensorflow")
    monkeypatch.chdir(tmp_path)
    return lambda *words, **kwargs: CliRunner().invoke(
        group, ["predict", str(model), *map(str, words)], **kwargs
    )


def lines_of(result):
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_odd_documents_have_one_defined_result_each(predict):
    texts = ["", " \u00a0", "ж ж", LONG, TEXTS[0]]
    result = predict(*texts, "--json", "--beams", 2)
    nothing, blank, unknown, long, short = lines_of(result)
    for answer in (nothing, blank):
        told = (answer["summary"], answer["score"], answer["tokens"], answer["empty"])
        assert told == ("", 0.0, 0, True)
    marks = ("empty", "unknown", "truncated")
    assert [unknown[mark] for mark in marks] == [False, True, False]
    assert [long[mark] for mark in marks] == [False, False, True]
    assert [short[mark] for mark in marks] == [False, False, False]
    assert "1 of 5 texts was longer than the 12 tokens that the model" in result.stderr
    assert "1 of 5 texts holds no token that the model knows" in result.stderr
    assert "2 of 5 texts are blank." in result.stderr
    assert len(short["summary"].split()) and not (
        nothing["unknown"] or blank["unknown"]
    )


@pytest.mark.parametrize(
    "options, sentence",
    [
        (
            ["--beams", 5000],
            "--beams must be at most the number of tokens in the vocabulary. Received: "
            "beams=5000, vocabulary_size=",
        ),
        (
            ["--min-new-tokens", 9, "--max-new-tokens", 4],
            "--min-new-tokens must be at most --max-new-tokens. Received: "
            "min_new_tokens=9, max_new_tokens=4",
        ),
        (
            ["--min-new-tokens", 9],
            "--min-new-tokens must be at most --max-new-tokens. Received: "
            "min_new_tokens=9, max_new_tokens=6",
        ),
        (
            ["--nbest", 5],
            "--nbest must be at most --beams, unless texts are sampled. Received: "
            "nbest=5, beams=4",
        ),
        (
            ["--beams", 4, "--beam-groups", 3, "--diversity-penalty", 1],
            "--beam-groups must divide --beams. Received: beam_groups=3, beams=4",
        ),
        (
            ["--sample", "--beams", 4],
            "Beams are not sampled: give --sample or several --beams; --nbest draws "
            "several samples. Received: sample=True, beams=4",
        ),
    ],
)
def test_what_contradicts_itself_or_the_model(predict, options, sentence):
    result = predict("a", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {sentence}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--beams", 1],
        ["--beams", 4, "--beam-groups", 2, "--diversity-penalty", 0.5],
        ["--no-repeat-ngram", 2, "--min-new-tokens", 3, "--early-stopping", "true"],
        ["--sample", "--seed", 5],
    ],
)
def test_batches_and_chunks_change_nothing(predict, options):
    rows = "\n".join([*TEXTS, LONG, "on the lift", "again"]) + "\n"
    options = [*options, "--json"]
    together = lines_of(predict(*options, input=rows))
    apart = lines_of(predict(*options, "--batch-size", 1, input=rows))
    scores = [[one.pop("score") for one in answers] for answers in (together, apart)]
    assert apart == together
    np.testing.assert_allclose(*scores, rtol=1e-5, atol=1e-6)


def test_other_seeds_draw_other_summaries(predict):
    drawn = [predict(LONG, "--sample", "--seed", n).stdout for n in range(4)]
    assert len(set(drawn)) > 1
    [several] = lines_of(predict(LONG, "--sample", "--nbest", 3, "--json"))
    assert len(several["summaries"]) == 3


def test_nbest_are_in_order(predict):
    result = predict(TEXTS[0], "--beams", 3, "--nbest", 3, "--as", "csv")
    rows = list(csv.DictReader(result.stdout.splitlines()))
    scores = [float(row["score"]) for row in rows]
    assert [row["rank"] for row in rows] == ["1", "2", "3"]
    assert scores == sorted(scores, reverse=True) and len({*scores}) == 3


@pytest.mark.parametrize("options", [["--beams", 1], ["--sample"]])
def test_what_appears_in_a_terminal_is_the_summary(predict, monkeypatch, options):
    from click.testing import _NamedTextIOWrapper

    monkeypatch.setattr(
        _NamedTextIOWrapper, "isatty", lambda self: self.name == "<stdout>"
    )
    options = [*options, "--max-new-tokens", 30]
    [told] = lines_of(predict(LONG, *options, "--json"))
    shown = predict(LONG, *options).stdout
    assert shown.split() == told["summary"].split()
    assert max(map(len, shown.splitlines())) <= 40
