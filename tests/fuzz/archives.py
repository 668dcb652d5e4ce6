"""Saved models with something wrong: in members, JSON, weights or the zip itself."""

import io
import json
import struct
import zipfile

import h5py
import numpy as np

from tests.fuzz.mutations import blind, json_edit, written
from tests.helpers.archives import members, packed

# An edit of a path that an earlier one took away, or of a number that does not fit.
IMPOSSIBLE = (KeyError, ValueError, OSError, RuntimeError, TypeError, OverflowError)
JSON = ("config.json", "assets/tokenizer.json", "assets/labels.json", "metadata.json")
WEIGHTS = "model.weights.h5"
NAMES = (*JSON, WEIGHTS, "../x", "assets/", "assets/x", "/x", "a.pkl", "b.npy")
WORDS = 60  # of the zoo's thousands: small files are broken faster


def small():
    """The members of the zoo's classifier with few words and few pairs of words."""
    parts = members()
    description = json.loads(parts["config.json"])
    encoder = description["config"]["encoder"]["config"]
    encoder["vocabulary_size"] = encoder["embedding"]["bigram_buckets"] = WORDS
    tokenizer = json.loads(parts["assets/tokenizer.json"])
    pieces = tokenizer["model"]["vocab"]
    tokenizer["model"]["vocab"] = {p: i for p, i in pieces.items() if i < WORDS}
    stream = io.BytesIO()
    with (
        h5py.File(io.BytesIO(parts[WEIGHTS])) as whole,
        h5py.File(stream, "w") as file,
    ):

        def copy(path, item):
            if isinstance(item, h5py.Group):
                group = file.require_group(path)
                for key, value in item.attrs.items():
                    group.attrs[key] = value
            else:
                values = item[()]
                tall = values.ndim == 2 and len(values) > 2000
                file[path] = values[:WORDS] if tall else values

        whole.visititems(copy)
    return {
        **parts,
        "config.json": written(description),
        "assets/tokenizer.json": written(tokenizer),
        WEIGHTS: stream.getvalue(),
    }


PARTS = small()
MOST_EDITED = 2**20  # bytes; an edit before may have made more


def archive(rng):
    """The bytes of a broken model."""
    kind = rng.randrange(10)
    if kind < 2:
        return blind(zipped(PARTS), rng)
    if kind < 6:
        return zipped(with_json(dict(PARTS), rng))
    if kind == 6:
        return zipped({**PARTS, WEIGHTS: _blind_weights(rng)})
    if kind == 7:
        return zipped({**PARTS, WEIGHTS: _edited_weights(rng)})
    if kind == 8:
        return _other_members(rng)
    return _other_headers(rng)


def zipped(parts, method=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    packed(parts, stream, method)
    return stream.getvalue()


def with_json(parts, rng):
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice((*JSON[:2], *JSON[:2], *JSON))
        if len(parts[name]) > MOST_EDITED:
            continue
        if rng.random() < 0.15:
            parts[name] = blind(parts[name], rng)
        else:
            try:
                parts[name] = written(json_edit(json.loads(parts[name]), rng))
            except (ValueError, RecursionError):
                parts[name] = b"[" * 10_000
    return parts


def _blind_weights(rng):
    """Most bytes are numbers; what describes them is where it hurts."""
    content = bytearray(PARTS[WEIGHTS])
    marks = [b"TREE", b"SNOD", b"HEAP", b"GCOL", b"\x89HDF", b"\x11\x20\x1f\0"]
    for _ in range(rng.choice((1, 1, 2, 5))):
        places = _places(rng.choice(marks))
        at = rng.choice(places) + rng.randrange(-64, 600)
        at = min(max(at, 0), len(content) - 16)
        kind = rng.randrange(3)
        if kind == 0:
            content[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            values = (0, 1, 8, len(content), 2**31, 2**63, 2**64 - 1)
            struct.pack_into("<Q", content, at, rng.choice(values))
        else:
            other = rng.choice(places)
            content[at : at + 8] = content[other : other + 8]
    return blind(bytes(content), rng) if rng.random() < 0.1 else bytes(content)


def _places(mark, _found={}):  # noqa: B006 - kept between calls on purpose
    if mark not in _found:
        content, at, places = PARTS[WEIGHTS], -1, []
        while (at := content.find(mark, at + 1)) >= 0:
            places.append(at)
        _found[mark] = places
    return _found[mark]


def _edited_weights(rng):
    """Another good HDF5 file, by way of h5py."""
    stream = io.BytesIO(PARTS[WEIGHTS])
    with h5py.File(stream, "r+") as file:
        paths = []
        file.visit(paths.append)
        for _ in range(rng.choice((1, 1, 2))):
            path = rng.choice(paths)
            try:
                _edit(file, path, paths, rng)
            except (
                KeyError,
                ValueError,
                OSError,
                RuntimeError,
                TypeError,
                OverflowError,
            ):
                continue  # A path that an earlier edit took away.
    return stream.getvalue()


def _edit(file, path, paths, rng):
    kind = rng.randrange(9)
    fresh = f"{path}/{rng.choice(('x', '0', 'vars', 'vars/7'))}"
    if kind == 0:
        del file[path]
    elif kind == 1:
        file[fresh] = h5py.SoftLink(rng.choice(paths))
    elif kind == 2:
        file[fresh] = h5py.ExternalLink("other.h5", "/x")
    elif kind == 3:
        file[fresh] = file[rng.choice(paths)]
    elif kind == 4:
        shape = tuple(rng.choice((0, 1, 2, 64)) for _ in range(rng.randrange(4)))
        file[fresh] = np.full(shape, rng.choice((0, 1, np.nan)), "f4")
    elif kind == 5 and isinstance(file[path], h5py.Dataset):
        file[path][...] = rng.choice((0, np.nan, np.inf, 1e30))
    elif kind == 6:
        file.move(path, rng.choice(paths) + "x")
    elif kind == 7:
        file[path].attrs[rng.choice(("name", "dtype"))] = rng.choice(("x", 3.0, [1, 2]))
    else:
        how = rng.choice(({"chunks": (1,)}, {"compression": "gzip"}, {"dtype": "f8"}))
        file.create_dataset(fresh, (2,), **how)


def _other_members(rng):
    pairs = list(PARTS.items())
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(pairs)) if pairs else 0
        kind = rng.randrange(5)
        if kind == 0 and pairs:
            del pairs[at]
        elif kind == 1 and pairs:
            pairs[at] = (rng.choice(NAMES), pairs[at][1])
        elif kind == 2:
            pairs.append((rng.choice(NAMES), rng.choice((b"", b"{}", bytes(100_000)))))
        elif kind == 3 and pairs:
            pairs[at] = (pairs[at][0], rng.choice(pairs)[1])
        else:
            rng.shuffle(pairs)
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
    return zipped(pairs, rng.choice(methods))


def _other_headers(rng):
    """Fields of the zip's own headers, which blind changes seldom meet."""
    content = bytearray(zipped(PARTS, rng.choice((0, 8))))
    table = struct.unpack("<I", content[-6:-2])[0]
    for _ in range(rng.choice((1, 1, 2, 4))):
        local = rng.random() < 0.3
        name = rng.choice(list(PARTS)).encode()
        at = content.find(name) - 30 if local else content.find(name, table) - 46
        if rng.random() < 0.2:
            at = len(content) - 22
        at += rng.randrange(46)
        width = rng.choice((1, 2, 4))
        value = rng.choice((0, 1, 0xFFFF, 0xFFFFFFFF, rng.randrange(2**32)))
        if 0 <= at <= len(content) - width:
            content[at : at + width] = (value % 256**width).to_bytes(width, "little")
    return bytes(content)
