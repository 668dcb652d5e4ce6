"""From nested dicts to a recipe, or to one sentence for each mistake in them."""

import msgspec

from .errors import RecipeError
from .fields import keys_of, lookup
from .hints import brief
from .problems import problems
from .writing import toml_value


def from_dict(data, origin="recipe", overrides=None):
    """Check nested dicts against the schema and return the `Recipe` they state.

    Args:
        data: dict. What `tomllib` read, or `dict_of` gave.
        origin: str. The file to name in errors.
        overrides: dict of key path (a tuple) to the text given with `--set`. Errors
            about those keys name the option instead of the file.

    Raises:
        RecipeError: for unknown, missing, mistyped and conflicting keys, all of them.
    """
    found = problems(data)
    if not found:
        return msgspec.convert(data, keys_of(data).recipe)
    mistakes = []
    for complaint, paths, values in found:
        source = _source(origin, overrides or {}, paths)
        sentence = f"{source}: {complaint}{_received(values, paths)}"
        mistakes.append((_dotted(paths[0]), sentence))
    raise RecipeError(mistakes)


def _dotted(path):
    return ".".join(map(str, path))


def _received(data, paths):
    """` Received: name=value, …` for the values that are there."""
    shown = []
    for path in paths:
        value = lookup(data, path)
        if value is not None and not (isinstance(value, dict) and value):
            name = next(part for part in reversed(path) if isinstance(part, str))
            text = toml_value(value)
            shown.append(f"{brief(name)}={brief(text)}")
    return f" Received: {', '.join(shown)}" if shown else ""


def _source(origin, overrides, paths):
    """The `--set` that gave one of the values, or else the file."""
    for given, text in overrides.items():
        for path in paths:
            if path[: len(given)] == given or given[: len(path)] == path:
                return f"--set {brief(text)}"
    return origin
