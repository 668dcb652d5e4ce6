"""Ways to break a file: blindly, byte by byte, and knowing what JSON looks like."""

import json

# Texts and numbers that programs stumble over.
WORDS = (
    *("", " ", "\0", "\n", '"', "'", "\\", "/", "..", "../x", "ä", "\ud800", "\u2028"),
    *(
        "a" * 5000,
        "text",
        "label",
        "nan",
        "null",
        "__lambda__",
        "kzoo>Dropout",
        "[UNK]",
    ),
)
NUMBERS = (
    *(0, 1, -1, 2, 127, 255, 2**31 - 1, 2**31, 2**32, 2**63, 2**64, -(2**63)),
    *(0.5, -0.5, 1e-300, 1e300, 10**30),
)
BYTES = (b"\0", b"\xff", b'"', b",", b"\n", b"\r", b"{", b"}", b"[", b"]", b"=", b"#")
LONGEST = 1 << 20  # bytes; a mutation does not grow a file beyond, or not much


def blind(content, rng):
    """Flip, cut, double, splice or overwrite some bytes.

    Args:
        content: bytes.
        rng: `random.Random`.
    """
    content = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        at = rng.randrange(len(content) + 1)
        length = rng.choice((1, 1, 2, 4, 8, 64, 1024))
        kind = rng.randrange(7)
        if kind == 0 and at < len(content):
            content[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            content[at : at + length] = rng.randbytes(length)
        elif kind == 2:
            del content[at : at + length]
        elif kind == 3 and len(content) < LONGEST:
            content[at:at] = content[at : at + length] * rng.choice((1, 2, 50))
        elif kind == 4:
            del content[at:]
        elif kind == 5:
            start = rng.randrange(len(content) + 1)
            content[at : at + length] = content[start : start + length]
        else:
            content[at:at] = rng.choice(BYTES) * rng.choice((1, 1, 3, 1000))
    return bytes(content)


def json_edit(value, rng):
    """Change one or a few values, keys or entries of a JSON value.

    Returns:
        The changed value, made anew.
    """
    value = json.loads(json.dumps(value))
    for _ in range(rng.choice((1, 1, 2, 5))):
        places = list(_places(value))
        if not places:
            return _anything(rng)
        if len(json.dumps(value)) > LONGEST:
            break
        table, key = rng.choice(places)
        kind = rng.randrange(6)
        if kind == 0:
            del table[key]
        elif kind == 1:
            times = rng.choice((1, 2, 300))
            if times * len(json.dumps(table[key])) <= LONGEST:  # It may come again.
                table[key] = [table[key]] * times
        elif kind == 2 and isinstance(table, dict):
            table[rng.choice(WORDS)] = table.pop(key)
        elif kind == 3:
            other, place = rng.choice(places)
            if place in other if isinstance(other, dict) else place < len(other):
                table[key] = json.loads(json.dumps(other[place]))
        elif kind == 4 and isinstance(table[key], int | float):
            table[key] = rng.choice((-table[key], table[key] * 2**20, table[key] + 1))
        else:
            table[key] = _anything(rng)
    return value


def _places(value):
    """Yield every table or list and a key in it; of long ones, some."""
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = list(range(len(value)))
    else:
        return
    for key in keys[:40]:
        yield value, key
        yield from _places(value[key])


def _anything(rng):
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice(WORDS)
    if kind == 1:
        return rng.choice(NUMBERS)
    if kind == 2:
        return rng.choice((None, True, False, [], {}))
    if kind == 3:
        return [_anything(rng) for _ in range(rng.randrange(4))]
    if kind == 4:
        return {rng.choice(WORDS): _anything(rng) for _ in range(rng.randrange(3))}
    deep = 1
    for _ in range(rng.choice((5, 50, 200))):
        deep = [deep]
    return deep


def written(value):
    """JSON that keeps lone surrogates and whatever else was put in."""
    return json.dumps(value).encode("utf-8", "surrogatepass")
