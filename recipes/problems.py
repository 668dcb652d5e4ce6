"""Everything that is wrong with a recipe, found in one pass.

msgspec stops at the first value that does not fit; here each key is checked alone, so
that a recipe with three mistakes is mended in one go.
"""

import re
import tomllib
from typing import NamedTuple

import msgspec
from msgspec import inspect

from .checks import conflicts, not_finite
from .fields import annotation, field_type, keys_at, may_be_table, options, place, words
from .hints import nearest, refusal
from .misplaced import belongs, misspelt
from .schema import Recipe
from .writing import dict_of


class Problem(NamedTuple):
    """One mistake: what to say, the keys at fault, and where their values stand."""

    complaint: str
    paths: list
    values: dict


def problems(data):
    """Every `Problem` of nested dicts; unknown keys first, since they explain most.

    Rules between keys are checked as far as the keys they speak of are sound.
    """
    unknown = list(_unknown_keys(data))
    found = [Problem(misspelt(path, value), [path], data) for path, value in unknown]
    meant = [belongs(path, value) for path, value in unknown]
    missing = [
        path
        for path in _missing_keys(data)
        if not any(other and _overlap(path, other) for other in meant)
    ]
    found += [Problem(f"{place(path)} is missing.", [path], data) for path in missing]
    unfit = dict(_unfit_values(data))
    for path, value in unfit.items():
        wanted = refusal(path, value) or f"must be {_expected(path, value)}"
        complaint = f"{place(path)} {wanted}"
        found.append(Problem(complaint, [path], data))
    doubtful = [path for path, _ in unknown] + list(_missing_keys(data)) + list(unfit)
    return found + list(_broken_rules(data, [_key(path) for path in doubtful]))


def _unknown_keys(table, path=()):
    """Yield the path and the value of each key that the schema does not have."""
    for key, value in table.items():
        kind = field_type((*path, key))
        if kind is None:
            yield (*path, key), value
        elif isinstance(value, dict) and may_be_table(kind):
            yield from _unknown_keys(value, (*path, key))


def _missing_keys(table, path=()):
    """Yield the path of each key that a recipe must have and this one has not."""
    for key, required in keys_at(path).items():
        if key not in table:
            if required:
                yield (*path, key)
        elif isinstance(table[key], dict):
            yield from _missing_keys(table[key], (*path, key))


def _unfit_values(table, path=()):
    """Yield the path and the value of each key whose value is not of its type."""
    for key, value in table.items():
        at = (*path, key)
        kind = field_type(at)
        if kind is None:
            continue
        if isinstance(value, dict) and may_be_table(kind):
            yield from _unfit_values(value, at)
            continue
        try:
            msgspec.convert(value, annotation(at))
        except msgspec.ValidationError as error:
            item = re.search(r"at `\$\[(\d+)\]`$", str(error))  # Of a list.
            if item:
                at, value = (*at, int(item[1])), value[int(item[1])]
            yield at, value


def _broken_rules(data, doubtful):
    """Yield what `kzoo_recipes.checks` finds, unless it speaks of a doubtful key."""
    if ("task",) in doubtful:
        return  # Nearly every rule asks for the task.
    recipe = msgspec.convert(_sound(data, doubtful), Recipe)
    values = dict_of(recipe)  # Defaults may take part in a conflict.
    for path in list(not_finite(values)):
        yield Problem(f"{place(path)} must be a finite number.", [path], values)
        doubtful = [*doubtful, path]
    for paths, complaint in conflicts(recipe):
        if any(_overlap(path, other) for path in paths for other in doubtful):
            continue
        stop = "" if complaint.endswith((".", "?")) else "."
        yield Problem(f"{place(paths[0])} {complaint}{stop}", list(paths), values)


def _sound(table, doubtful, path=()):
    """A valid copy of `table`: doubtful keys are left out, or filled if required."""
    copy = {}
    for key, value in table.items():
        if (*path, key) not in doubtful:
            inner = isinstance(value, dict)
            copy[key] = _sound(value, doubtful, (*path, key)) if inner else value
    for key, required in keys_at(path).items():
        if required and key not in copy:
            copy[key] = _filler((*path, key))
    return copy


def _filler(path):
    """Some valid value for the key at `path`."""
    match field_type(path):
        case inspect.StructType():
            return _sound({}, [], path)
        case inspect.LiteralType(values=values):
            return values[0]
        case inspect.StrType():
            return "text"
        case inspect.BoolType():
            return False
        case inspect.IntType() | inspect.FloatType() as kind:
            return kind.ge or 1
        case _:
            return []


def _overlap(path, other):
    """Whether one of two keys is the other, or a table that holds it."""
    shared = min(len(path), len(other))
    return path[:shared] == other[:shared]


def _key(path):
    """The key that a path leads to: an item of a list stands for its list."""
    return path[:-1] if isinstance(path[-1], int) else path


def _expected(path, value):
    choices = options(path)
    near = nearest(value, choices) if len(choices) > 1 else None
    hint = f'; did you mean "{near}"?' if near else _quotes(path, value) or "."
    return words(field_type(path), value) + hint


def _quotes(path, value):
    """What to do about quotes, if only they are wrong."""
    kind = field_type(path)
    if isinstance(kind, inspect.StrType):
        plain = isinstance(value, int | float)
        return "; put it in quotes." if plain else None
    if not isinstance(value, str):
        return None
    try:
        [(_, bare)] = tomllib.loads(f"value = {value}").items()
        if isinstance(path[-1], int):
            msgspec.convert([bare], annotation(path[:-1]))
        else:
            msgspec.convert(bare, annotation(path))
    except (ValueError, RecursionError):
        return None
    return "; write it without quotes."
