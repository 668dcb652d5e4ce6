"""Every mistake of a recipe is found at once, and none that is not there."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kzoo_recipes import KzooError, RecipeError, dict_of, from_dict, load
from kzoo_recipes.fields import KEYS, is_table
from recipe_files import VALID


def mistakes(text, tmp_path):
    tmp_path.joinpath("my.toml").write_text(text)
    with pytest.raises(RecipeError) as caught:
        load(tmp_path / "my.toml")
    return [key for key, _ in caught.value.mistakes]


def test_kinds_of_mistakes_are_found_together(tmp_path):
    text = (
        VALID.replace("seed = 7", "sed = 7")  # unknown
        .replace("hidden_dim = 64\n", "")  # missing
        .replace("num_heads = 4", "num_heads = true")  # of another type
        .replace("batch_size = 32", "batch_size = 0\nsteps = 1\nwarmup_steps = 2")
        .replace("accuracy =", "acuracy =")
    )
    assert mistakes(text, tmp_path) == [
        "sed",
        "model.encoder.hidden_dim",
        "model.encoder.num_heads",
        "training.batch_size",
        "training.warmup_steps",
        "expect.acuracy",
    ]


def test_the_message_is_the_first_and_says_how_many_more(tmp_path):
    tmp_path.joinpath("my.toml").write_text(VALID.replace("s", "z", 40))
    with pytest.raises(RecipeError) as caught:
        load(tmp_path / "my.toml")
    found = caught.value.mistakes
    assert len(found) > 2
    assert str(caught.value) == (
        f"{found[0][1]} (and {len(found) - 1} more; `kzoo validate` lists them)"
    )


@pytest.mark.parametrize(
    "old, new, expected",
    {
        "misspelt": ("num_layers", "num_layer", ["model.encoder.num_layer"]),
        "misplaced": (
            "[model.encoder]\n",
            "[model]\n",
            [
                "model.num_layers",
                "model.num_heads",
                "model.hidden_dim",
                "model.intermediate_dim",
            ],
        ),
        "misspelt section": ("[model.encoder]", "[model.encodr]", ["model.encodr"]),
        "section elsewhere": ("[model.encoder]", "[encoder]", ["encoder"]),
    }.values(),
)
def test_a_key_that_stands_in_the_wrong_place_is_not_missing_too(
    old, new, expected, tmp_path
):
    assert mistakes(VALID.replace(old, new), tmp_path) == expected


def test_rules_speak_of_sound_keys_only(tmp_path):
    """`num_heads must divide hidden_dim` says nothing when one of them is no number."""
    text = VALID.replace("num_heads = 4", 'num_heads = "five"')
    assert mistakes(text, tmp_path) == ["model.encoder.num_heads"]
    text = VALID.replace("source", "# source").replace(
        "sequence_length = 64", "test = 3\nsequence_length = 64\nbuckets = [8, 'x']"
    )
    assert mistakes(text, tmp_path) == ["data.test", "data.buckets.1"]


def leaves(table, path=()):
    for key, value in table.items():
        kind = KEYS["text_classifier"].type_at((*path, key))
        if isinstance(value, dict) and is_table(kind):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


# A table that is left out has keys of its own that must be there.
SOUND = {k: v for k, v in dict_of(load("text_classifier")).items() if v is not None}


@settings(max_examples=200)
@given(st.lists(st.sampled_from(list(leaves(SOUND))), min_size=1, unique=True))
def test_as_many_mistakes_as_were_made(paths):
    recipe = copy.deepcopy(SOUND)
    for path in paths:
        table = recipe
        for key in path[:-1]:
            table = table[key]
        table[path[-1]] = {"no": "value"}
    with pytest.raises(KzooError) as caught:
        from_dict(recipe)
    # A table may stand at class_weights, and there the mistake is one deeper.
    found = {key.removesuffix(".no") for key, _ in caught.value.mistakes}
    assert found == {".".join(path) for path in paths}


def test_a_log_is_named_once(tmp_path):
    text = VALID.replace("[training]", '[training]\nlogs = ["csv", "csv"]')
    assert mistakes(text, tmp_path) == ["training.logs"]
