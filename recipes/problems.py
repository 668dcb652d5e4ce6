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
from .fields import TUNED_KEYS, keys_of, may_be_table, place, words
from .hints import TUNED, nearest, refusal
from .misplaced import belongs, misspelt
from .writing import dict_of

SIZE = ("model", "encoder", "num_layers")  # what every recipe from scratch says


class Problem(NamedTuple):
    """One mistake: what to say, the keys at fault, and where their values stand."""

    complaint: str
    paths: list
    values: dict


def problems(data):
    """Every `Problem` of nested dicts; unknown keys first, since they explain most.

    Rules between keys are checked as far as the keys they speak of are sound.
    """
    keys = keys_of(data)
    unknown = list(keys.unknown(data))
    found = [
        Problem(misspelt(keys, path, value), [path], data) for path, value in unknown
    ]
    meant = [belongs(keys, path, value) for path, value in unknown]
    found = [*_own_encoder(keys, data, [path for path, _ in unknown]), *found]
    absent = list(_missing_keys(keys, data))
    missing = [
        path
        for path in absent
        if not any(other and _overlap(path, other) for other in meant)
    ]
    found += [Problem(f"{place(path)} is missing.", [path], data) for path in missing]
    unfit = dict(_unfit_values(keys, data))
    for path, value in unfit.items():
        wanted = refusal(path, value) or f"must be {_expected(keys, path, value)}"
        complaint = f"{place(path)} {wanted}"
        found.append(Problem(complaint, [path], data))
    doubtful = [_key(path) for path in (*dict(unknown), *absent, *unfit)]
    return found + list(_broken_rules(keys, data, doubtful))


def _own_encoder(keys, data, unknown):
    """One `Problem` before many: a recipe from scratch that names a checkpoint, too."""
    if keys not in TUNED_KEYS.values() or SIZE not in unknown:
        return
    decided = sum(path[:2] == SIZE[:2] for path in unknown)
    if decided < 3:  # A key or two are soon taken out.
        return
    named = TUNED.get(data.get("task"))
    begin = f'begin with the recipe "{named}", or ' if named else ""
    yield Problem(
        "[model] pretrained brings encoder and tokenizer, and this recipe describes "
        f"its own; {begin}take out [tokenizer] and what is named below.",
        [("model", "pretrained")],
        data,
    )


def _missing_keys(keys, table, path=()):
    """Yield the path of each key that a recipe must have and this one has not."""
    for key, required in keys.keys_at(path).items():
        if key not in table:
            if required:
                yield (*path, key)
        elif isinstance(table[key], dict):
            yield from _missing_keys(keys, table[key], (*path, key))


def _unfit_values(keys, table, path=()):
    """Yield the path and the value of each key whose value is not of its type."""
    for key, value in table.items():
        at = (*path, key)
        kind = keys.type_at(at)
        if kind is None:
            continue
        if isinstance(value, dict) and may_be_table(kind):
            yield from _unfit_values(keys, value, at)
            continue
        try:
            msgspec.convert(value, keys.annotation(at))
        except msgspec.ValidationError as error:
            item = re.search(r"at `\$\[(\d+)\]`$", str(error))  # Of a list.
            if item:
                at, value = (*at, int(item[1])), value[int(item[1])]
            yield at, value


def _broken_rules(keys, data, doubtful):
    """Yield what `kzoo_recipes.checks` finds, unless it speaks of a doubtful key."""
    if ("task",) in doubtful:
        return  # Nearly every rule asks for the task.
    recipe = msgspec.convert(_sound(keys, data, doubtful), keys.recipe)
    values = dict_of(recipe)  # Defaults may take part in a conflict.
    for path in list(not_finite(values)):
        yield Problem(f"{place(path)} must be a finite number.", [path], values)
        doubtful = [*doubtful, path]
    for paths, complaint in conflicts(recipe):
        if any(_overlap(path, other) for path in paths for other in doubtful):
            continue
        stop = "" if complaint.endswith((".", "?")) else "."
        yield Problem(f"{place(paths[0])} {complaint}{stop}", list(paths), values)


def _sound(keys, table, doubtful, path=()):
    """A valid copy of `table`: doubtful keys are left out, or filled if required."""
    copy = {}
    for key, value in table.items():
        if (*path, key) not in doubtful:
            inner = isinstance(value, dict)
            copy[key] = _sound(keys, value, doubtful, (*path, key)) if inner else value
    for key, required in keys.keys_at(path).items():
        if required and key not in copy:
            copy[key] = _filler(keys, (*path, key))
    return copy


def _filler(keys, path):
    """Some valid value for the key at `path`."""
    match keys.type_at(path):
        case inspect.StructType():
            return _sound(keys, {}, [], path)
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


def _expected(keys, path, value):
    choices = keys.options(path)
    near = nearest(value, choices) if len(choices) > 1 else None
    hint = f'; did you mean "{near}"?' if near else _quotes(keys, path, value) or "."
    return words(keys.type_at(path), value) + hint


def _quotes(keys, path, value):
    """What to do about quotes, if only they are wrong."""
    kind = keys.type_at(path)
    if isinstance(kind, inspect.StrType):
        plain = isinstance(value, int | float)
        return "; put it in quotes." if plain else None
    if not isinstance(value, str):
        return None
    try:
        [(_, bare)] = tomllib.loads(f"value = {value}").items()
        if isinstance(path[-1], int):
            msgspec.convert([bare], keys.annotation(path[:-1]))
        else:
            msgspec.convert(bare, keys.annotation(path))
    except (ValueError, RecursionError):
        return None
    return "; write it without quotes."
