"""What an HDF5 object says about itself, as far as weights need to say anything."""

import struct

import numpy as np

NOTHING, DATASPACE, DATATYPE, OLD_FILL, FILL = 0x00, 0x01, 0x03, 0x04, 0x05
LAYOUT, ATTRIBUTE, CONTINUATION, SYMBOL_TABLE, TIME = 0x08, 0x0C, 0x10, 0x11, 0x12
IN_GROUPS = {NOTHING, ATTRIBUTE, CONTINUATION, SYMBOL_TABLE, TIME}
IN_DATASETS = {
    *(NOTHING, DATASPACE, DATATYPE, OLD_FILL, FILL),
    *(LAYOUT, ATTRIBUTE, CONTINUATION, TIME),
}
STRANGE = {
    0x02: "members in a later form, as links to other files are",
    0x06: "a link of its own kind, soft or to another file",
    0x07: "its values in another file",
    0x0A: "members in a later form, as links to other files are",
    0x0B: "a filter, such as compression",
    0x0F: "shared descriptions",
    0x15: "attributes in a later form",
}
MOST_AXES = 8
# Version 2; allocated early, late or bit by bit; written if set; none of its own.
NO_FILLS = [bytes((when, 2, 1, 0, 0, 0, 0)) for when in (1, 2, 3)]


class Malformed(Exception):
    """What is wrong, as a clause without its file."""


def _integer(size, signed):
    head = struct.pack("<B3BI", 0x10, 0x08 if signed else 0, 0, 0, size)
    return head + struct.pack("<2H", 0, 8 * size) + bytes(4)


def _float(size, exponent, mantissa):
    head = struct.pack("<B3BI", 0x11, 0x20, 8 * size - 1, 0, size)
    places = struct.pack("<2H4B", 0, 8 * size, mantissa, exponent, 0, mantissa)
    return head + places + struct.pack("<I", 2 ** (exponent - 1) - 1) + bytes(4)


# How the arrays of weights and optimizers are described, to the last byte.
ENCODINGS = {
    **{
        _float(int(t[1]), e, m): np.dtype(f"<{t}")
        for t, e, m in (
            ("f2", 5, 10),
            ("f4", 8, 23),
            ("f8", 11, 52),
        )
    },
    **{_integer(size, True): np.dtype(f"<i{size}") for size in (1, 2, 4, 8)},
    **{_integer(size, False): np.dtype(f"<u{size}") for size in (1, 2, 4, 8)},
}


def dimensions(body, path):
    """The shape of an array."""
    version, axes, flags = body[0], body[1], body[2]
    if version != 1 or flags & ~1 or axes > MOST_AXES or any(body[3:8]):
        raise Malformed(f"the shape of {path} is damaged")
    sizes = struct.unpack_from(f"<{axes}Q", body, 8)
    at = 8 + 8 * axes
    if flags and struct.unpack_from(f"<{axes}Q", body, at) != sizes:
        raise Malformed(f"{path} may grow, as no weight may")
    if any(body[at + 8 * axes * flags :]):
        raise Malformed(f"the shape of {path} is damaged")
    return sizes


def array_type(body, path):
    """The NumPy dtype of an array."""
    for encoding, dtype in ENCODINGS.items():
        if body == encoding:
            return dtype
    raise Malformed(
        f"{path} holds neither float nor int numbers, or not in the order of this "
        "machine"
    )


def contiguous(body, path):
    """Where the bytes of an array start, and how many there are."""
    version, kind = body[0], body[1]
    if version != 3 or kind != 1:
        raise Malformed(
            f"{path} is chunked, compressed or virtual; weights lie in one piece, as "
            "model.save writes them"
        )
    start, size = struct.unpack_from("<2Q", body, 2)
    if any(body[18:]):
        raise Malformed(f"the place of {path} is damaged")
    return start, size


def check_simple(kind, body, shown):
    """Refuse a fill value or a time that is not a plain one."""
    if kind == FILL and (body[0] != 2 or body[1:] not in NO_FILLS):
        raise Malformed(f"{shown} has a fill value, as no weight has")
    if kind == OLD_FILL and any(body):
        raise Malformed(f"{shown} has a fill value, as no weight has")
    if kind == TIME and (len(body) != 8 or body[0] != 1):
        raise Malformed(f"the time of {shown} is damaged")


# A text of any length, in ASCII or UTF-8: what h5py makes of a str.
LETTER = struct.pack("<B3BI2H", 0x10, 0, 0, 0, 1, 0, 8)
TEXTS = [struct.pack("<B3BI", 0x19, 1, charset, 0, 16) + LETTER for charset in (0, 1)]


def attribute(body, shown):
    """Check an attribute; length, collection and number of its text, or `None`."""
    version, _, name_size, type_size, space_size = struct.unpack_from("<2B3H", body)
    if version != 1:
        raise Malformed(f"an attribute of {shown} is in a later form")
    at = 8
    name, at = body[at : at + name_size], at + _padded(name_size)
    described, at = body[at : at + type_size], at + _padded(type_size)
    space, at = body[at : at + space_size], at + _padded(space_size)
    if not name.endswith(b"\0") or name.count(b"\0") != 1 or len(space) < 8:
        raise Malformed(f"an attribute of {shown} is damaged")
    if space[0] != 1 or any(space[1:]):
        raise Malformed(f"an attribute of {shown} is a list, not one text")
    if described not in TEXTS:
        raise Malformed(f"an attribute of {shown} is not a text")
    length, address, index = struct.unpack_from("<IQI", body, at)
    if length == 0:
        return None
    return length, address, index


def _padded(size):
    return (size + 7) // 8 * 8
