"""JSON as it is meant: no double keys, no NaN, no depth that overflows a stack."""

import json
import re

import numpy as np
from kzoo_recipes import KzooError

MOST_DEPTH = 64
LONGEST_NUMBER = 40  # digits
# A string, or what begins as one; never looked at twice, whatever it holds.
QUOTED = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
AT_ONCE = 1 << 20  # characters that are counted together, in a few megabytes
OPENING, CLOSING = np.frombuffer(b"[{", "uint8"), np.frombuffer(b"]}", "uint8")


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
    bare = QUOTED.sub("", text).encode("ascii", "replace")
    bare = np.frombuffer(bare, "uint8")
    deepest = depth = 0
    for start in range(0, len(bare), AT_ONCE):
        block = bare[start : start + AT_ONCE]
        steps = np.isin(block, OPENING).astype("int8") - np.isin(block, CLOSING)
        depths = depth + np.cumsum(steps, dtype="int32")  # after each character
        deepest, depth = max(deepest, int(depths.max())), int(depths[-1])
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
