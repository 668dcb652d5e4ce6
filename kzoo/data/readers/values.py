"""From what stands in a column to a text, a label and a weight."""

import itertools
import json
import math

from kzoo_recipes import nearest
from kzoo_recipes.characters import is_unicode

from kzoo.data.readers.rows import Row, RowError

QUOTED = '"|"'  # A shell would take the bare sign for its own.


def make_row(values, layout, line, origin):
    """The `Row` of a mapping from the layout's columns to values.

    Raises:
        RowError: if a value cannot be what its column stands for.
    """
    fail = _complaining(origin, line)
    return Row(
        text_of(values[layout.text], layout.text, fail),
        layout.label and _labels(values[layout.label], layout, fail),
        layout.weight and weight_of(values[layout.weight], layout.weight, fail),
        line,
        origin,
        kept_of(values, layout, fail) if layout.keep else None,
    )


def _complaining(origin, line):
    return lambda complaint: RowError(origin, line, complaint)


def text_of(value, name, fail):
    """A text, which must be a string of whole characters."""
    if isinstance(value, str):
        return whole(value, f'the text in "{name}"', fail)
    raise fail(f'"{name}" is {kind(value)}; a text must be a string.')


def _labels(value, layout, fail):
    """The label, or a sorted tuple of the labels, of which there may be none."""
    if not layout.multi_label:
        return _label(value, layout.label, fail)
    if isinstance(value, str) and layout.label_separator:
        value = value.split(layout.label_separator) if value.strip() else []
    if isinstance(value, str):
        raise fail(
            f'"{layout.label}" is {kind(value)}, which may hold several labels; say '
            f"what stands between them with {layout.ask('label_separator', QUOTED)}, "
            "or write them as a list in JSONL."
        )
    if not isinstance(value, list | tuple):
        raise fail(
            f'"{layout.label}" is {kind(value)}; labels must be a list, [] if there '
            "are none."
        )
    labels = sorted(_label(one, layout.label, fail) for one in value)
    for one, other in itertools.pairwise(labels):
        if one == other:
            raise fail(f'"{layout.label}" has the label "{one}" twice; remove one.')
    return tuple(labels)


def _label(value, name, fail):
    if isinstance(value, bool):
        value = json.dumps(value)
    if isinstance(value, int):
        value = str(value)
    if not isinstance(value, str):
        raise fail(
            f'"{name}" is {kind(value)}; a label must be a string, an integer or a '
            "boolean."
        )
    label = value.strip()
    if not label:
        raise fail(f'the label in "{name}" is empty; fill it in or remove the row.')
    return whole(label, f'the label in "{name}"', fail)


def whole(text, called, fail):
    """`text`, which must be possible to write to a file."""
    if is_unicode(text):
        return text
    raise fail(f"{called} is not Unicode text: it holds half a character.")


def kept_of(values, layout, fail):
    """What stands in the columns of `Layout.keep`."""
    kept = {name: values[name] for name in layout.kept(values)}
    for name, value in kept.items():
        written = json.dumps([name, value], ensure_ascii=False, default=str)
        whole(written, f'what stands in "{shown(name)}"', fail)
    return kept


def weight_of(value, name, fail):
    """A weight, which must be finite and not negative."""
    try:
        if isinstance(value, bool):
            raise ValueError
        weight = float(value)
    except (TypeError, ValueError, OverflowError):
        weight = math.nan
    if 0 <= weight < math.inf:
        return weight
    raise fail(
        f'the weight in "{name}" is {shown(repr(value))}; a weight must be a '
        "finite number that is not negative."
    )


def class_names(value, classes, column, line, origin):
    """The names of numbered classes, in lists as they come.

    A dataset whose labels are kept secret has -1.
    """
    if isinstance(value, list):
        return [class_names(one, classes, column, line, origin) for one in value]
    if value is None or not 0 <= value < len(classes):
        raise RowError(
            origin,
            line,
            f'the label in "{column}" is missing ({value}); hidden labels are '
            "no use here: name another split.",
        )
    return classes[value]


def kind(value):
    """What JSON calls the type of a value."""
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    names = {str: "a string", list: "a list", dict: "an object", type(None): "null"}
    return names.get(type(value), f"of the type {type(value).__name__}")


def shown(text, most=40):
    """What a file holds, fit for a sentence: on one line, not long."""
    text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= most else text[: most - 1] + "…"


def no_column(name, names, columns, choose):
    """The complaint about a column that is not there, with what to type instead."""
    near = nearest(name, list(names))
    there = the_columns(names, columns)
    if near:
        there = f'did you mean "{shown(near)}"? {there[0].upper()}{there[1:]}'
    return f"{there}; choose one with {choose}."


def the_columns(names, columns, most=20):
    """What columns there are: `the columns are "text", "label"`."""
    names = list(names)
    listed = ", ".join(f'"{shown(name)}"' for name in names[:most]) or "none"
    if len(names) > most:
        listed += f" and {len(names) - most} more"
    return f"the {columns} are {listed}"
