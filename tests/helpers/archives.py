"""Saved models, taken apart and put together again with something wrong in them."""

import io
import json
import zipfile
from importlib.resources import files

import h5py

ZOO = "text_classifier"


def members():
    """The members of the zoo's classifier: dict from name to bytes."""
    content = files("kzoo_zoo").joinpath(f"{ZOO}.keras").read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts, path, method=zipfile.ZIP_STORED):
    """Write members, a dict or pairs of name and bytes; return `path`."""
    pairs = parts.items() if isinstance(parts, dict) else parts
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in pairs:
            archive.writestr(name, content)
    return path


def with_json(parts, name, change):
    """`parts` with the JSON of a member changed in place by `change(value)`."""
    value = json.loads(parts[name])
    changed = change(value)
    value = value if changed is None else changed
    return {**parts, name: json.dumps(value).encode()}


def with_weights(parts, change):
    """`parts` with the HDF5 file changed by `change(h5py.File)`."""
    stream = io.BytesIO(parts["model.weights.h5"])
    with h5py.File(stream, "r+") as file:
        change(file)
    return {**parts, "model.weights.h5": stream.getvalue()}


def at(table, path):
    """The table at a dotted path: `at(config, "config.encoder.config")`."""
    for key in filter(None, path.split(".")):
        table = table[key]
    return table
