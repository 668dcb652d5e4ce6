"""From what is wrong with a recipe to one sentence that says where and what.

msgspec finds a wrong value and says where it stands; the words are ours.
"""

import re

import msgspec

from .checks import conflicts, not_finite
from .errors import KzooError
from .fields import field_type, homes, is_table, keys_at, options, place, words
from .hints import did_you_mean, nearest
from .kinds import Text
from .schema import Bound, Recipe
from .writing import dict_of, toml_value

# Tables whose keys are the user's, and what stands at each.
OWN_KEYS = {("expect",): Bound, ("data", "labels"): Text}


def from_dict(data, origin="recipe", overrides=None):
    """Check nested dicts against the schema and return the `Recipe` they state.

    Args:
        data: dict. What `tomllib` read, or `dict_of` gave.
        origin: str. The file to name in errors.
        overrides: dict of key path (a tuple) to the text given with `--set`. Errors
            about those keys name the option instead of the file.

    Raises:
        KzooError: for unknown, missing, mistyped and conflicting keys.
    """
    problem = _problem(data)
    if problem is None:
        return msgspec.convert(data, Recipe)
    complaint, paths, values = problem
    source = _source(origin, overrides or {}, paths)
    raise KzooError(f"{source}: {complaint}" + _received(values, paths))


def _problem(data):
    """The first thing wrong: a complaint, the keys at fault, where they have values."""
    unfit = _unknown_key(data, ()) or _missing_key(data, ())
    if unfit:
        return *unfit, data
    try:
        recipe = msgspec.convert(data, Recipe)
    except msgspec.ValidationError as error:
        path = _path(error, data)
        return f"{place(path)} must be {_expected(path, data)}", [path], data
    # Defaults may take part in a conflict, so show the values of the whole recipe.
    data = dict_of(recipe)
    for path in not_finite(data):
        return f"{place(path)} must be a finite number.", [path], data
    for paths, complaint in conflicts(recipe):
        stop = "" if complaint.endswith((".", "?")) else "."
        return f"{place(paths[0])} {complaint}{stop}", paths, data
    return None


def _unknown_key(table, path):
    """Unknown keys come first: they explain most of what else is missing."""
    for key, value in table.items():
        kind = field_type((*path, key))
        if kind is None:
            return _misspelt(key, value, path), [(*path, key)]
        if isinstance(value, dict) and is_table(kind):
            below = _unknown_key(value, (*path, key))
            if below:
                return below
    return None


def _misspelt(key, value, path):
    """Where the unknown key belongs, or what it probably should be."""
    section = f"[{'.'.join(path)}]" if path else "a recipe"
    complaint = f'{section} has no key "{key}"'
    here = keys_at(path)
    if isinstance(value, dict):
        return complaint + did_you_mean(key, here)
    if key in homes():
        tables = " or ".join(map(_table, homes()[key]))
        return f"{complaint}; `{key}` belongs to {tables}."
    far = nearest(key, homes())
    if nearest(key, here) is None and far is not None:
        return f'{complaint}; did you mean "{far}" of {_table(homes()[far][0])}?'
    return complaint + did_you_mean(key, here)


def _table(path):
    return f"[{'.'.join(path)}]" if path else "the top, before all sections"


def _missing_key(table, path):
    for key, required in keys_at(path).items():
        value = table.get(key)
        if required and key not in table:
            return f"{place((*path, key))} is missing.", [(*path, key)]
        if isinstance(value, dict):
            below = _missing_key(value, (*path, key))
            if below:
                return below
    return None


def _path(error, data):
    """The place that msgspec names, like `$.training.buckets[1]`, as a tuple."""
    named = re.search(r"at `\$(.*)`$", str(error))[1]
    path = ()
    for name, index in re.findall(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]", named):
        if index == "...":  # A key of the user's own; msgspec does not say which.
            path += (_failing_key(_lookup(data, path), OWN_KEYS[path]),)
        else:
            path += (name or int(index),)
    return path


def _failing_key(table, kind):
    for key, value in table.items():
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError:
            return key


def _expected(path, data):
    value = _lookup(data, path)
    choices = options(path)
    near = nearest(value, choices) if len(choices) > 1 else None
    hint = f'; did you mean "{near}"?' if near else "."
    return words(field_type(path), value) + hint


def _received(data, paths):
    """` Received: name=value, …` for the values that are there."""
    shown = []
    for path in paths:
        value = _lookup(data, path)
        if value is not None and not (isinstance(value, dict) and value):
            name = next(part for part in reversed(path) if isinstance(part, str))
            text = toml_value(value)
            shown.append(f"{name}={text if len(text) <= 80 else text[:79] + '…'}")
    return f" Received: {', '.join(shown)}" if shown else ""


def _lookup(data, path):
    """The value at `path`, or None where the path ends early."""
    for part in path:
        if isinstance(data, dict):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int):
            data = data[part]
        else:
            return None
    return data


def _source(origin, overrides, paths):
    """The `--set` that gave one of the values, or else the file."""
    for given, text in overrides.items():
        for path in paths:
            if path[: len(given)] == given or given[: len(path)] == path:
                return f"--set {text}"
    return origin
