"""Which rows a model is measured on, and how their file is read."""

import pytest
from helpers.toys import once
from kzoo_recipes import KzooError, from_dict, to_toml

from kzoo.training.answers import rows_for

pytestmark = once

ENCODER = {"num_layers": 1, "num_heads": 2, "hidden_dim": 8, "intermediate_dim": 8}


@pytest.fixture
def run(tmp_path):
    """`run(text="body", …)`: a run folder with a recipe, its `[data]` changed."""

    def make(**data):
        data = {"train": str(tmp_path / "own.dat"), "format": "tsv", **data}
        model = {"encoder": ENCODER}
        tables = {"task": "text_classifier", "data": data, "model": model}
        (tmp_path / "recipe.toml").write_text(to_toml(from_dict(tables, "toy.toml")))
        return tmp_path

    return make


def test_the_recipe_says_how_a_file_like_its_own_is_written(run, tmp_path):
    file = tmp_path / "later.dat"
    file.write_bytes("body\tkind\ncaf\xe9, bar\t1\n".encode("latin-1"))
    folder = run(text="body", label="kind", encoding="latin-1", labels={"1": "good"})
    rows, source = rows_for(folder, "test", file, {})
    assert (rows.texts, rows.labels) == (["café, bar"], ["good"])
    assert source == str(file)


def test_a_file_with_another_ending_tells_its_own_format(run, tmp_path):
    file = tmp_path / "later.jsonl"
    file.write_text('{"text": "one", "label": "good"}\n')
    rows, _ = rows_for(run(), "test", file, {})
    assert rows.texts == ["one"]


def test_what_is_told_wins(run, tmp_path):
    file = tmp_path / "later.dat"
    file.write_text("review,label\none,good\n")
    told = {"text": "review", "format": "csv"}
    rows, _ = rows_for(run(text="body", encoding="utf-16"), "test", file, {
        **told, "encoding": "utf-8"
    })  # fmt: skip
    assert rows.texts == ["one"]


def test_errors_speak_of_options(run, tmp_path):
    file = tmp_path / "later.csv"
    file.write_text("review,label\none,good\n")
    with pytest.raises(KzooError, match=r'"text"; .*choose one with --text COLUMN\.'):
        rows_for(run(), "test", file, {})


def test_a_model_without_a_recipe_needs_a_file(tmp_path):
    with pytest.raises(KzooError, match=r"no recipe\.toml beside it: .* --data FILE"):
        rows_for(tmp_path, "test", None, {})


def test_weights_of_rows_are_not_asked_for(run, tmp_path):
    file = tmp_path / "later.dat"
    file.write_text("text\tlabel\none\tgood\n")
    rows, _ = rows_for(run(weight="w"), "test", file, {})
    assert rows.weights is None
