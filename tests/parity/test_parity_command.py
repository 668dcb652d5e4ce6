"""`kzoo parity`, run as a user runs it, on a recipe and rows of their own.

A tagger with a chain is compared over all backends, a classifier where one is tampered
with.
"""

import json
import math
import re

import pytest

from tests.helpers.processes import AS_USERS, run
from tests.helpers.tagged_toys import write_conll
from tests.parity.conftest import present

RECIPE = """\
task = "text_classifier"

[data]
train = "rows.csv"
text = "body"
sequence_length = 16

[tokenizer]
kind = "word"
min_frequency = 1

[model]
encoder = { num_layers = 1, num_heads = 2, hidden_dim = 16, intermediate_dim = 32 }

[training]
batch_size = 4
learning_rate = 2e-3
"""
TAGGER = """\
task = "token_tagger"

[data]
train = "rows.conll"
sequence_length = 16
learn_scheme = "bioes"

[tokenizer]
kind = "word"
min_frequency = 1

[model]
head = "crf"
encoder = { num_layers = 1, num_heads = 2, hidden_dim = 16, intermediate_dim = 32 }

[training]
batch_size = 4
learning_rate = 2e-3
"""
WORDS = ("soup", "room", "sea", "bed", "view", "bath", "bread", "hall", "key", "tea")

# What a Python that starts with this on its path gets wrong, in one of two probes.
TAMPERED = """\
import sys

if "cpu" in sys.orig_argv:
    import torch.nn.functional

    right = torch.nn.functional.gelu
    torch.nn.functional.gelu = lambda x, *rest, **named: right(x, *rest, **named) * 1.01
"""

pytestmark = pytest.mark.skipif(len(present()) < 2, reason="needs two backends")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A recipe and its rows."""
    folder = tmp_path_factory.mktemp("parity-command")
    folder.joinpath("own.toml").write_text(RECIPE)
    rows = [
        f'"the {a} was {word}, and so was the {b}",{label}'
        for a in WORDS
        for b in WORDS
        for word, label in (("lovely", "good"), ("cold", "bad"))
    ]
    folder.joinpath("rows.csv").write_text("\n".join(["body,label", *rows]))
    folder.joinpath("tagger.toml").write_text(TAGGER)
    write_conll(folder / "rows.conll", 60, long=40)
    return folder


@pytest.fixture(scope="module")
def whole(folder):
    """One run over every backend, as JSON."""
    command = ["kzoo", "parity", "tagger.toml", "--json", "--steps", 3]
    done = run(*command, cwd=folder, **AS_USERS)
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout), done.stderr


def test_backends_agree(whole):
    answer, _ = whole
    assert answer["agree"] and answer["recipe"] == "tagger"
    assert [probe["name"] for probe in answer["probes"]] == sorted(present())
    assert len(answer["pairs"]) == math.comb(len(present()), 2)
    for pair in answer["pairs"]:
        assert pair["agree"] and pair["first_difference"] is None


def test_everything_was_compared(whole):
    for pair in whole[0]["pairs"]:
        rows = pair["rows"]
        kinds = list(dict.fromkeys(row["kind"] for row in rows))
        assert kinds == [
            *("initial", "activation", "logits", "gradient"),
            *("losses", "trained", "counters", "predicted"),
        ]
        names = [row["name"] for row in rows if row["kind"] == "activation"]
        assert "encoder/block_0/feed_forward/input" in names
        weights = [row["name"] for row in rows if row["kind"] == "gradient"]
        assert "encoder/embedding/embeddings" in weights and "logits/kernel" in weights
        assert any(name.startswith("crf/") for name in weights)
        assert all(row["difference"] <= row["tolerance"] for row in rows)


def test_rows_are_few_and_their_own(whole):
    for probe in whole[0]["probes"]:
        assert (probe["rows"], probe["steps"]) == (4, 3)
        assert probe["tokens"] == 16, "some rows of train are several windows"
        assert probe["device"] == "cpu"


def test_progress_goes_to_stderr(whole):
    count = len(present())
    for number, name in enumerate(sorted(present()), 1):
        assert f"{name}: computing ({number} of {count})\n" in whole[1]
        assert f"{name}: done in " in whole[1]


@pytest.mark.skipif("torch" not in present(), reason="PyTorch is tampered with")
def test_a_tampered_backend_is_found(folder, tmp_path):
    """An activation is one part in a hundred off: named, marked, and exit code 1."""
    tmp_path.joinpath("sitecustomize.py").write_text(TAMPERED)
    twice = ["--backends", "torch", "--device", "auto", "--device", "cpu"]
    variables = {"PYTHONPATH": str(tmp_path), "COLUMNS": "80"}
    command = ["kzoo", "parity", "own.toml", *twice, "--steps", 1]
    done = run(*command, cwd=folder, **variables)
    assert done.returncode == 1, done.stderr
    *table, verdict = done.stdout.splitlines()
    assert verdict.startswith(
        "torch auto and torch cpu differ; first differing activation: "
        "encoder/block_0/feed_forward"
    )
    assert verdict.endswith("where 1e-05 is allowed).")
    lines = {re.split(r"  | \(", line)[0]: line for line in table}
    assert lines["initial weights"].endswith("equal")
    assert lines["encoder/embedding"].endswith("0.0e+00")
    assert lines["encoder/block_0"].endswith(" !")
    assert lines["logits"].endswith(" !")


def test_data_that_cannot_be_used_is_one_sentence(folder):
    command = ["kzoo", "parity", "own.toml", "--set", "data.text=boddy"]
    done = run(*command, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    [*_, sentence] = done.stderr.splitlines()
    assert sentence.startswith("Error: ") and "boddy" in sentence
    assert "Traceback" not in done.stderr
