"""A recipe written as TOML and loaded again is the same recipe."""

import tempfile
import tomllib
from pathlib import Path

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from kzoo_recipes import (
    METRICS,
    RECIPES,
    KzooError,
    dict_of,
    from_dict,
    load,
    names,
    to_toml,
)
from kzoo_recipes.writing import toml_value
from msgspec import inspect

text = st.text(st.characters(codec="utf-8"), max_size=8)


def values(kind):
    """Values of a schema type, from its own limits."""
    match kind:
        case inspect.Metadata():
            return values(kind.type)
        case inspect.UnionType():
            return st.one_of([values(member) for member in kind.types])
        case inspect.NoneType():
            return st.none()
        case inspect.LiteralType():
            return st.sampled_from(kind.values)
        case inspect.BoolType():
            return st.booleans()
        case inspect.IntType():
            return st.integers(kind.ge, kind.le)
        case inspect.FloatType():
            low, high = (kind.ge, kind.gt), (kind.le, kind.lt)
            return st.floats(
                next((x for x in low if x is not None), None),
                next((x for x in high if x is not None), None),
                exclude_min=kind.gt is not None,
                exclude_max=kind.lt is not None,
                allow_nan=False,
                allow_infinity=False,
            )
        case inspect.StrType():
            return st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
        case inspect.ListType():
            return st.lists(
                values(kind.item_type), min_size=kind.min_length or 0, max_size=3
            )
        case inspect.DictType():
            metric = st.sampled_from(METRICS["text_classifier"])
            return st.dictionaries(metric, values(kind.value_type), max_size=2)
        case inspect.StructType():
            fields = {field.name: values(field.type) for field in kind.fields}
            return st.builds(kind.cls, **fields)


def of_task(task):
    """Recipes of a task."""
    recipes = values(inspect.type_info(RECIPES[task]))
    return recipes.map(lambda recipe: msgspec.structs.replace(recipe, task=task))


def file_names(recipe):
    """Files as loading leaves them: absolute."""
    replace = msgspec.structs.replace
    absolute = lambda files: (
        [f"/{file}" for file in files] if isinstance(files, list) else f"/{files}"
    )
    files = {
        split: value and absolute(value)
        for split in ("train", "dev", "test")
        for value in [getattr(recipe.data, split)]
    }
    file = recipe.tokenizer.file and f"/{recipe.tokenizer.file}"
    return replace(
        recipe,
        name=recipe.name or "recipe",
        data=replace(recipe.data, **files),
        tokenizer=replace(recipe.tokenizer, file=file),
    )


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(RECIPES)).flatmap(of_task).map(file_names))
def test_any_recipe(recipe):
    written = tomllib.loads(to_toml(recipe))
    assert msgspec.convert(written, type(recipe)) == recipe


@given(st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | text
    | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
))  # fmt: skip
def test_any_value(value):
    assert tomllib.loads(f"value = {toml_value(value)}") == {"value": value}


def test_shipped_recipes_load_back_from_any_folder():
    for name in names():
        recipe = load(name, ["data.train=reviews.csv"])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "recipe.toml")
            path.write_text(to_toml(recipe), "utf-8")
            assert load(path) == recipe


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_value_anywhere_is_taken_or_refused_in_one_sentence(data):
    recipe = dict_of(load("text_classifier"))
    table = recipe
    key = data.draw(st.sampled_from(list(table)))
    while isinstance(table[key], dict) and table[key] and data.draw(st.booleans()):
        table = table[key]
        key = data.draw(st.sampled_from(list(table)))
    junk = st.none() | st.booleans() | st.integers() | st.floats() | text
    table[key] = data.draw(junk | st.lists(junk, max_size=2) | st.just({"a": 1}))
    try:
        from_dict(recipe, "my.toml")
    except KzooError as error:
        assert str(error).startswith("my.toml: ")
        assert "\n" not in str(error)


def test_of_epochs_and_steps_one_is_shown():
    assert "epochs = 3\n" in to_toml(load("text_classifier", ["training.epochs=3"]))
    text = to_toml(load("text_classifier", ["training.epochs=3", "training.steps=9"]))
    assert "steps = 9\n" in text and "\nepochs" not in text
    both = to_toml(load("text_classifier", ["training.epochs=5", "training.steps=9"]))
    assert "epochs = 5\n" in both and "steps = 9\n" in both
