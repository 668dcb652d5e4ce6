"""Every key of a recipe says what it means, where it is declared."""

import pytest
from kzoo_recipes.fields import description, field_type, is_table, keys_at
from msgspec import inspect


def every_key(path=()):
    """The path of every key and table, `[expect]`'s bounds included."""
    for key in keys_at(path):
        yield (*path, key)
        kind = field_type((*path, key))
        if isinstance(kind, inspect.DictType):
            yield from every_key((*path, key, "accuracy"))
        elif is_table(kind):
            yield from every_key((*path, key))


@pytest.mark.parametrize("path", every_key(), ids=".".join)
def test_key_says_what_it_means(path):
    text = description(path)
    assert text, (
        f"the key {'.'.join(path)} has no description: declare it in recipes/schema.py "
        'as `key: Annotated[TYPE, says("What it means.")] = DEFAULT`'
    )
    assert text.endswith(".") and not text[0].islower()
    assert "\n" not in text and "  " not in text


def test_the_walk_finds_keys_at_every_depth():
    found = set(every_key())
    assert {("seed",), ("model", "encoder", "attention", "head_dim")} <= found
    assert ("expect", "accuracy", "at_least") in found
