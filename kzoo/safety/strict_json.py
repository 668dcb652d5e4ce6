"""JSON as it is meant: no double keys, no NaN, no depth that overflows a stack."""

import json

from kzoo_recipes import KzooError

MOST_DEPTH = 64
LONGEST_NUMBER = 40  # digits


def parse(content, where):
    """Read JSON strictly.

    Args:
        content: bytes-like or str.
        where: str. What errors call it.

    Returns:
        The value.

    Raises:
        KzooError: if it is not JSON, names a key twice, is nested deeper than
            `MOST_DEPTH` or holds a number that is none.
    """
    try:
        text = content if isinstance(content, str) else str(content, "utf-8")
    except UnicodeDecodeError as error:
        raise KzooError(f"{where}: byte {error.start} is not UTF-8 text.") from None
    if _depth(text) > MOST_DEPTH:
        raise KzooError(f"{where}: values are nested more than {MOST_DEPTH} deep.")
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_no_number,
            parse_int=_integer,
            parse_float=_float,
        )
    except (ValueError, RecursionError) as error:
        raise KzooError(f"{where}: this is not plain JSON: {error}.") from None


def _depth(text):
    """The deepest nesting, counted without a stack; brackets in strings are none."""
    if text.count("[") + text.count("{") <= MOST_DEPTH:
        return 0  # Not deep, whatever the order.
    deepest = depth = 0
    quoted = escaped = False
    for character in text:
        if quoted:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                quoted = False
        elif character == '"':
            quoted = True
        elif character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _object(pairs):
    value = dict(pairs)
    if len(value) != len(pairs):
        seen = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key {key[:40]!r} stands there twice")
            seen.add(key)
    return value


def _no_number(name):
    raise ValueError(f"{name} is not a number")


def _integer(digits):
    if len(digits) > LONGEST_NUMBER:
        raise ValueError(f"a number has {len(digits)} digits")
    return int(digits)


def _float(digits):
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{digits[:40]} is too large a number")
    return value
