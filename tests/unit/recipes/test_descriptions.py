"""Every key of a recipe says what it means, where it is declared."""

import pytest
from kzoo_recipes.fields import KEYS, is_table
from msgspec import inspect


def every_key(task, path=()):
    """The path of every key and table, `[expect]`'s bounds included."""
    keys = KEYS[task]
    for key in keys.keys_at(path):
        yield (*path, key)
        kind = keys.type_at((*path, key))
        if isinstance(kind, inspect.DictType):
            yield from every_key(task, (*path, key, "accuracy"))
        elif is_table(kind):
            yield from every_key(task, (*path, key))


@pytest.mark.parametrize("task", KEYS)
def test_every_key_says_what_it_means(task):
    for path in every_key(task):
        text = KEYS[task].description(path)
        assert text, (
            f"the key {'.'.join(path)} of {task} has no description: declare it as "
            '`key: Annotated[TYPE, says("What it means.")] = DEFAULT` in '
            f"recipes/{path[0]}_schema.py or schema.py"
        )
        assert text.endswith(".") and not text[0].islower(), path
        assert "\n" not in text and "  " not in text, path


@pytest.mark.parametrize("task", KEYS)
def test_the_walk_finds_keys_at_every_depth(task):
    found = set(every_key(task))
    assert {("seed",), ("model", "encoder", "attention", "head_dim")} <= found
    assert ("expect", "accuracy", "at_least") in found


def test_each_task_has_keys_of_its_own():
    paths = {task: set(every_key(task)) for task in KEYS}
    assert ("model", "pooling") in paths["text_classifier"] - paths["token_tagger"]
    assert ("data", "scheme") in paths["token_tagger"] - paths["text_classifier"]
