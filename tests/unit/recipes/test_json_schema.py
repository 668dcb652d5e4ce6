"""What an editor makes of `kzoo schema`, and docs/recipes.md, which says the same."""

import copy
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from kzoo_recipes import KzooError, dict_of, find, from_dict, load, names
from kzoo_recipes.json_schema import json_schema
from kzoo_recipes.reference import reference
from recipe_files import VALID, changed

ROOT = Path(__file__).parents[3]
EDITOR = Draft202012Validator(json_schema())


def complaints(text):
    return [error.message for error in EDITOR.iter_errors(tomllib.loads(text))]


def without_none(table):
    present = {key: value for key, value in table.items() if value is not None}
    return {
        k: without_none(v) if isinstance(v, dict) else v for k, v in present.items()
    }


def test_it_is_a_schema_of_that_dialect():
    assert json_schema()["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("name", names())
def test_shipped_recipes_are_valid_as_written_and_as_resolved(name):
    assert not complaints(find(name).read_text("utf-8"))
    assert not list(EDITOR.iter_errors(without_none(dict_of(load(name)))))


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ("batch_size", "batchsize", "'batchsize' was unexpected"),
        ("[model.encoder]", "[model.encodr]", "'encodr' was unexpected"),
        ("hidden_dim = 64\n", "", "'hidden_dim' is a required property"),
        ("batch_size = 32", "batch_size = 0", "0 is less than the minimum of 1"),
        ("seed = 7", "seed = 1.5", "1.5 is not of type 'integer'"),
        ("seed = 7", "name = ''", "'' should be non-empty"),
        ('"linear"', '"liner"', "'liner' is not one of ['constant', "),
        ("accuracy =", "acuracy =", "'acuracy' is not one of ['accuracy', "),
        ("at_least", "atleast", "'atleast' was unexpected"),
        ("at_least = 0.9", "at_least = '0.9'", "'0.9' is not of type 'number'"),
    ],
)
def test_editors_see_what_is_wrong(old, new, complaint):
    assert any(complaint in found for found in complaints(changed(old, new)))


def test_every_key_has_its_meaning_and_none_can_be_null():
    def walk(node):
        if isinstance(node, dict):
            assert node.get("type") != "null"
            for key in node.get("properties", {}).values():
                assert key.get("description") or "$ref" in key
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    assert not complaints(VALID)
    walk(json_schema())
    assert all("description" in table for table in json_schema()["$defs"].values())


SOUND = without_none(dict_of(load("text_classifier")))
# To JSON Schema 2.0 is an integer; to TOML it is not.
NUMBERS = st.integers(-3, 2**33) | st.floats(-1, 2).filter(lambda x: x % 1)
JUNK = st.booleans() | NUMBERS | st.text(max_size=3)


@settings(max_examples=150)
@given(st.data())
def test_editor_and_validate_agree_on_each_key(data):
    """Where they differ, it is a rule between keys, which says `and` or names two."""
    recipe = copy.deepcopy(SOUND)
    table = recipe
    key = data.draw(st.sampled_from(sorted(table)))
    while table[key] and isinstance(table[key], dict):
        table = table[key]
        key = data.draw(st.sampled_from(sorted(table)))
    table[key] = data.draw(JUNK | st.lists(JUNK, max_size=2))
    unfit = not EDITOR.is_valid(recipe)
    try:
        from_dict(recipe)
        assert not unfit
    except KzooError as error:
        one_key = " must be a " in str(error) or " must be one of " in str(error)
        one_key |= " must be true or false" in str(error)
        assert unfit or not one_key


def test_the_reference_page_is_up_to_date():
    page = ROOT / "docs" / "recipes.md"
    assert page.read_text("utf-8") == reference(), (
        "the schema of recipes has changed: run "
        "`kzoo schema --markdown > docs/recipes.md`"
    )
