"""Recipes back to TOML: the inverse of loading."""

import json
import re

import msgspec

from .attention_schema import with_kernel


def dict_of(recipe):
    """The recipe as nested dicts, every default filled in."""
    return msgspec.to_builtins(recipe)


def effective(recipe):
    """`dict_of` without what has no effect: `epochs` by default beside `steps`."""
    values, training = dict_of(recipe), recipe.training
    usual = {field.name: field.default for field in msgspec.structs.fields(training)}
    if training.steps is not None and training.epochs == usual["epochs"]:
        del values["training"]["epochs"]
    return values


def arguments_of(table):
    """A table as keyword arguments, without the keys that are None.

    `TransformerEncoder(vocabulary_size, **arguments_of(recipe.model.encoder))` leaves
    what the recipe leaves open to the layer.
    """
    values = {}
    for key, value in _present(dict_of(table)):
        values[key] = dict(_present(value)) if isinstance(value, dict) else value
        if key == "attention":
            values[key] = with_kernel(values[key])
    return values


def adaptation_arguments(table):
    """An `[adaptation]` as a dict of its method and the arguments of that."""
    own = getattr(table, table.method, None) or {}
    return {"method": table.method, **arguments_of(own)}


def to_toml(recipe):
    """The recipe as TOML, every default written out; loading it gives it back.

    Of `epochs` and `steps` there is one, unless the recipe has both.
    """
    return "\n\n".join(_tables(effective(recipe), ())) + "\n"


def toml_value(value):
    """One value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # A JSON string is a TOML string, but for DEL and lone surrogates.
        text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        return text.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        pairs = [f"{_key(k)} = {toml_value(v)}" for k, v in _present(value)]
        return "{ " + ", ".join(pairs) + " }" if pairs else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return str(value)  # Python writes numbers, dates and inf as TOML does.


def _tables(table, path):
    """Yield one block of text per table, parents first."""
    inline = path == ("expect",)  # `accuracy = { at_least = 0.9 }` on one line
    lines = [f"[{'.'.join(map(_key, path))}]"] if path else []
    children = []
    for key, value in _present(table):
        if isinstance(value, dict) and not inline:
            children.append((key, value))
        else:
            lines.append(f"{_key(key)} = {toml_value(value)}")
    yield "\n".join(lines)
    for key, value in children:
        yield from _tables(value, (*path, key))


def _present(table):
    return ((key, value) for key, value in table.items() if value is not None)


def _key(key):
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_value(key)
