"""Checkpoints: a neutral state in safetensors, with a manifest that vouches for it."""

import hashlib
import json

from kzoo_recipes import KzooError
from kzoo_recipes.folders import written_beside
from safetensors import SafetensorError
from safetensors.numpy import load as decode
from safetensors.numpy import save as encode

FORMAT = 1
STATE, MANIFEST = "state.safetensors", "manifest.json"


def save(folder, state, **facts):
    """Write a checkpoint; one that is there stays until the new one is complete.

    Args:
        folder: `Path`.
        state: dict of arrays, from a stepper. The names mean the same everywhere.
        facts: what else the manifest says, as JSON takes it.
    """
    content = encode(state)
    manifest = {
        "format": FORMAT,
        **facts,
        "files": {STATE: {"bytes": len(content), "sha256": digest(content)}},
    }
    with written_beside(folder, replace=True) as partial:
        (partial / STATE).write_bytes(content)
        text = json.dumps(manifest, indent=2, allow_nan=False) + "\n"
        (partial / MANIFEST).write_text(text, encoding="utf-8")


def load(folder):
    """Read a checkpoint and verify it.

    Returns:
        The state and the manifest.

    Raises:
        KzooError: if a file is missing, altered or of a later format.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        found, expected = manifest["format"], manifest["files"][STATE]
        size, checksum = int(expected["bytes"]), expected["sha256"]
    except OSError as error:
        raise KzooError(f"{folder / MANIFEST}: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise KzooError(f"{folder / MANIFEST}: not a checkpoint's manifest.") from None
    if found != FORMAT:
        raise KzooError(
            f"{folder / MANIFEST}: this kzoo reads checkpoints of format {FORMAT}, "
            f"not {found!r}."
        )
    try:
        content = (folder / STATE).read_bytes()
    except OSError as error:
        raise KzooError(f"{folder / STATE}: {error.strerror}.") from None
    if len(content) != size or digest(content) != checksum:
        raise KzooError(
            f"{folder / STATE}: the file is not the one that was saved: "
            f"{len(content):,} of {size:,} bytes, or altered; use another checkpoint."
        )
    try:
        return decode(content), manifest
    except (SafetensorError, ValueError, KeyError) as error:
        raise KzooError(f"{folder / STATE}: not safetensors: {error}.") from None


def digest(content):
    return hashlib.sha256(content).hexdigest()
