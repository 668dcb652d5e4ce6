"""What stands at a key: its type in the schema, in code and in words.

A key is a path, a tuple like `("training", "batch_size")`. Each task has keys of its
own: `KEYS["text_classifier"].type_at(path)`; and others where an encoder is pretrained.
"""

import functools
import types
from typing import Annotated, Union, get_args, get_origin, get_type_hints

from msgspec import inspect

from .fine_tuning_schema import TUNED_RECIPES
from .hints import brief, nearest
from .kinds import INT32_MAX
from .schema import RECIPES
from .writing import toml_value


class Keys:
    """The keys of one task's recipes.

    Args:
        recipe: subclass of `Recipe`.
    """

    def __init__(self, recipe):
        self.recipe = recipe

    @functools.cached_property
    def _root(self):
        return inspect.type_info(self.recipe)

    def type_at(self, path):
        """The type at `path`, without its `| None`; None where there is none."""
        current = self._root
        for part in path:
            match current:
                case inspect.StructType():
                    types = {field.name: field.type for field in current.fields}
                    current = types.get(part)
                case inspect.DictType():
                    current = current.value_type
                case inspect.ListType():
                    current = current.item_type
                case inspect.UnionType():  # Of a string and what holds several.
                    current = _inner(current)
                case _:
                    return None
            current = _bare(current)
        return current

    def description(self, path):
        """What the schema says of the key at `path`, or of the table there."""
        *tables, key = path
        kind = self.type_at(tables)
        if isinstance(kind, inspect.StructType):
            field = next(field for field in kind.fields if field.name == key)
            if isinstance(field.type, inspect.Metadata):
                return field.type.extra_json_schema["description"]
        kind = self.type_at(path)
        return kind.cls.__doc__ if isinstance(kind, inspect.StructType) else None

    def annotation(self, path):
        """The type at `path` as the schema writes it, range and `| None` included."""
        current = self.recipe
        for key in path:
            current = _outer(current)
            if get_origin(current) is dict:
                current = get_args(current)[1]
            else:
                current = get_type_hints(current, include_extras=True)[key]
        return current

    def takes_text(self, path):
        """Whether the key holds a string and no number: `--set` needs no quotes."""
        kind = self.type_at(path)
        kinds = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
        number = any(isinstance(kind, inspect.IntType) for kind in kinds)
        return not number and any(isinstance(kind, inspect.StrType) for kind in kinds)

    def keys_at(self, path):
        """The keys of the table at `path` and whether each is required."""
        kind = self.type_at(path)
        if not isinstance(kind, inspect.StructType):
            return {}
        return {field.name: field.required for field in kind.fields}

    def unknown(self, table, path=()):
        """Yield the path and the value of each key of `table` that there is not."""
        for key, value in table.items():
            kind = self.type_at((*path, key))
            if kind is None:
                yield (*path, key), value
            elif isinstance(value, dict) and may_be_table(kind):
                yield from self.unknown(value, (*path, key))

    def homes(self, path=(), tables=False):
        """Every key: its name -> the tables it belongs to, outer ones first.

        Keys that hold a value, or with `tables` those that hold a table.
        """
        found = {}
        for key in self.keys_at(path):
            kind = self.type_at((*path, key))
            if is_table(kind) is tables:
                found.setdefault(key, []).insert(0, path)
            if isinstance(kind, inspect.StructType):
                for name, inner in self.homes((*path, key), tables).items():
                    found.setdefault(name, []).extend(inner)
        return found

    def options(self, path):
        """The values that the key may hold, if the schema lists them."""
        kind = self.type_at(path)
        literal = isinstance(kind, inspect.LiteralType)
        return [str(v) for v in kind.values] if literal else []


KEYS = {task: Keys(recipe) for task, recipe in RECIPES.items()}
TUNED_KEYS = {task: Keys(recipe) for task, recipe in TUNED_RECIPES.items()}


def keys_of(data):
    """The `Keys` of the task that nested dicts name.

    Where they name none that there is: of the task of the nearest name, else of the
    one that has the most of their keys.
    """
    model, task = data.get("model"), data.get("task")
    tuned = isinstance(model, dict) and "pretrained" in model
    keys_by_task = TUNED_KEYS if tuned else KEYS
    if isinstance(task, str):
        task = task if task in KEYS else nearest(task, KEYS)
        if task is not None:
            return keys_by_task.get(task, KEYS[task])  # Not all begin with one.
    return min(keys_by_task.values(), key=lambda keys: len(list(keys.unknown(data))))


def tasks_with(path):
    """The tasks whose recipes have a key at `path`, as a rule."""
    return [task for task, keys in KEYS.items() if keys.type_at(path) is not None]


def place(path):
    """A key as users find it in the file: `[training] batch_size`."""
    *tables, key = path
    if isinstance(key, int):
        return f"{place(tables)}, item {key + 1},"
    return f"[{brief('.'.join(tables))}] {brief(key)}" if tables else brief(key)


def _inner(union):
    """The type of what a list or a table of the union holds; None if it has neither."""
    for kind in union.types:
        match kind:
            case inspect.ListType():
                return kind.item_type
            case inspect.DictType():
                return kind.value_type
    return None


def _bare(kind):
    """A type without its description and without its `| None`."""
    if isinstance(kind, inspect.Metadata):
        return _bare(kind.type)
    if isinstance(kind, inspect.UnionType):
        kinds = [t for t in kind.types if not isinstance(t, inspect.NoneType)]
        return inspect.UnionType(tuple(kinds)) if len(kinds) > 1 else _bare(kinds[0])
    return kind


def _outer(kind):
    """A table's type without its description and without what else may stand there."""
    if get_origin(kind) is Annotated:
        return _outer(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        inner = map(_outer, get_args(kind))
        return next(
            k for k in inner if get_origin(k) is dict or hasattr(k, "__struct_fields__")
        )
    return kind


def lookup(data, path):
    """The value at `path` in nested dicts, or None where the path ends early."""
    for part in path:
        if isinstance(data, dict):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int):
            data = data[part]
        else:
            return None
    return data


def is_table(kind):
    return isinstance(kind, inspect.StructType | inspect.DictType)


def may_be_table(kind):
    """Whether a table may stand where a value of this type is asked for."""
    kinds = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    return any(map(is_table, kinds))


def words(kind, value=None):
    """What a key of type `kind` takes; `value` is what it got instead."""
    match kind:
        case inspect.LiteralType():
            one_of = "one of " if len(kind.values) > 1 else ""
            return one_of + ", ".join(map(toml_value, kind.values))
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType(pattern=str(pattern)):
            return f"a string that fits the pattern {pattern}"
        case inspect.StrType():
            return "a string" + (" that is not empty" if kind.min_length else "")
        case inspect.IntType():
            # The machine's own limit is of no interest until it is hit.
            hit = isinstance(value, int) and value > INT32_MAX
            most = kind.le if kind.le != INT32_MAX or hit else None
            return "a whole number" + _range(kind, most)
        case inspect.FloatType():
            return "a number" + _range(kind, kind.le)
        case inspect.ListType():
            return "a list, each item " + words(kind.item_type)
        case inspect.UnionType():
            return ", or ".join(map(words, kind.types))
        case _:
            return "a table of keys and values"


def _range(kind, most):
    limits = {
        "above": kind.gt,
        "of at least": kind.ge,
        "below": kind.lt,
        "at most": most,
    }
    parts = [f"{word} {limit}" for word, limit in limits.items() if limit is not None]
    return " " + " and ".join(parts) if parts else ""
