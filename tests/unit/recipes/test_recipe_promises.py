"""`[expect]` speaks of the recipe's own rows, and paths of files that can exist."""

import pytest
from kzoo_recipes import KzooError, load
from recipe_files import changed


@pytest.mark.parametrize(
    "override, kept",
    [
        ("data.train=mine.csv", False),
        ("data.label=stars", False),
        ("data.labels.0=bad", False),
        ("training.epochs=1", True),
        ("data.sequence_length=32", True),
    ],
)
def test_other_rows_void_the_promise(override, kept):
    assert bool(load("text_classifier", [override]).expect) == kept


def test_a_recipe_that_waits_for_files_keeps_its_promise(tmp_path):
    path = tmp_path / "waits.toml"
    path.write_text(changed('source = "kzoo:reviews"', 'text = "text"'))
    recipe = load(path, ["data.train=a.csv", "data.test=b.csv"])
    assert recipe.expect["accuracy"].at_least == 0.9


@pytest.mark.parametrize(
    "override, sentence",
    [
        ("data.train=~nobody_here/x.csv", "there is no such user's home folder"),
        ('data.train="a\\u0000b.csv"', "a path cannot hold a NUL character"),
        (f"name={'x' * 101}", "at most 100 bytes long"),
    ],
)
def test_names_that_no_file_can_have_are_refused(override, sentence):
    with pytest.raises(KzooError, match=sentence):
        load("text_classifier", [override])
