"""Checking a saved model before Keras sees it, from its bytes to its weights."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
from kzoo_recipes import KzooError
from kzoo_recipes.characters import is_unicode

from kzoo.data.memory import Memory
from kzoo.models.crf_classes import label_fault
from kzoo.models.dry import implied_weights
from kzoo.models.sizes import count_parameters
from kzoo.safety import Archive, check_config, find, parse, read_datasets
from kzoo.safety.classes import WITHOUT_LABELS, WITHOUT_TOKENIZER
from kzoo.text import Tokenizer

NAMES = "assets/labels.json"
TOKENIZER = "assets/tokenizer.json"
MEMORY = "assets/memory.safetensors"
AT_ONCE = 1 << 20  # numbers that are looked at together
NEEDED = {
    "config.json": "does not say what model it is",
    "metadata.json": "does not say which Keras saved it",
    "model.weights.h5": "has no weights",
    TOKENIZER: "cannot read text",
    NAMES: "cannot name its answers",
}


def check_archive(file):
    """Refuse a `.keras` file that is not exactly what kzoo writes.

    Args:
        file: `Path`.

    Returns:
        dict: "class", str; "parameters", int; "labels", list of str, or `None` of a
        model that has none; "tokens", int, ids of the tokenizer, 0 if there is none;
        "bytes", int, of the file.

    Raises:
        KzooError: naming the file, and the member or key that is wrong.
    """
    file = Path(file)
    with Archive(file) as archive:
        _require_members(archive, ("config.json",))
        described = archive.read("config.json")
        description = check_config(described, f"{file}: config.json")
        labelled = description["class_name"] not in WITHOUT_LABELS
        reads = description["class_name"] not in WITHOUT_TOKENIZER
        absent = {NAMES: not labelled, TOKENIZER: not reads}
        _require_members(archive, [n for n in NEEDED if not absent.get(n)])
        parse(archive.read("metadata.json"), f"{file}: metadata.json")
        labels = _labels(archive, file, description) if labelled else None
        tokenizer = None
        if reads:
            tokenizer = _tokenizer(archive.read(TOKENIZER), file, description)
        if MEMORY in archive.members:
            if labelled:
                raise KzooError(
                    f"{file}: only a model that writes has a {MEMORY}; save it anew."
                )
            Memory.from_bytes(archive.read(MEMORY), f"{file}: {MEMORY}")
        weights = archive.read("model.weights.h5")
    where = f"{file}: model.weights.h5"
    datasets = read_datasets(weights, where)
    _require_layers(file, description, datasets)
    parameters = _compare(file, datasets, description)
    _require_fit(file, description["config"], labels, tokenizer)
    _require_finite(weights, datasets, where)
    return {
        "class": description["class_name"],
        "parameters": parameters,
        "labels": labels,
        "tokens": tokenizer.vocabulary_size if reads else 0,
        "bytes": file.stat().st_size,
    }


def _require_members(archive, names):
    for name in names:
        if name not in archive.members:
            raise KzooError(
                f"{archive.path}: the archive has no {name}, so the model "
                f"{NEEDED[name]}; name a file that kzoo saved."
            )


def _require_layers(file, description, datasets):
    """Refuse more blocks than there are weights for: each costs time and memory."""
    stacks = {}
    for path in datasets:
        stack, found, rest = path.partition("/blocks/")
        if found:
            stacks.setdefault(stack, set()).add(rest.partition("/")[0])
    most = max(map(len, stacks.values()), default=0)
    shared = dict(find(description, "share_blocks"))
    for key, layers in find(description, "num_layers"):
        share = shared.get(key.removesuffix("num_layers") + "share_blocks") or 1
        if layers is not None and layers > most * share:
            raise KzooError(
                f"{file}: config.json: {key} is {layers}, but model.weights.h5 has "
                f"weights for {most} layers."
            )


def reason_of(error):
    """What a constructor said, without what Keras wraps around it, as a clause."""
    said = str(error).rpartition("Exception encountered: ")[2] or type(error).__name__
    return " ".join(said.split())[:300].rstrip(".")


def _compare(file, datasets, description):
    """Hold the file's arrays against the weights that the description implies.

    With as many arrays of each shape in the file as the model has weights, Keras, which
    looks for each weight at its own path, finds all and leaves none.

    Returns:
        int, the number of parameters.
    """
    held = {
        path: array
        for path, array in datasets.items()
        if not (path.startswith("optimizer/") and description.get("compile_config"))
    }
    try:
        implied = implied_weights(description)
    except Exception as error:  # Constructors raise every kind.
        raise KzooError(
            f"{file}: config.json describes no model: {reason_of(error)}."
        ) from error
    numbers, stored = count_parameters(implied), count_parameters(held.values())
    spare = Counter(array.shape for array in held.values())
    for weight in implied:
        shape = weight.shape
        if spare[shape] == 0:
            raise KzooError(
                f"{file}: config.json describes a model of {numbers:,} parameters with "
                f"a weight {weight.path} of shape {shape}, but model.weights.h5 holds "
                f"{stored:,} and no array left for it."
            )
        spare[shape] -= 1
    for path, array in held.items():
        if spare[array.shape] > 0:
            raise KzooError(
                f"{file}: model.weights.h5 holds {path} of shape {array.shape} beyond "
                "the weights of the model that config.json describes; save it anew."
            )
    return numbers


def _require_fit(file, config, labels, tokenizer):
    """Refuse labels and windows that the model, which can be made, could not use."""
    if config.get("head") == "crf":
        fault = label_fault(labels, config.get("scheme", "iob2"))
        if fault:
            raise KzooError(f"{file}: assets/labels.json: {fault}.")
    if tokenizer is None:
        return
    least = tokenizer.num_special + 1
    for key in ("sequence_length", "source_length"):
        value = config.get(key)
        if value is not None and value < least:
            raise KzooError(
                f"{file}: config.json: config.{key} is {value}, but "
                f"{tokenizer.num_special} special tokens and one of a text need "
                f"{least}."
            )
    for key in ("start_id", "end_id"):
        if (config.get(key) or 0) >= tokenizer.vocabulary_size:
            raise KzooError(
                f"{file}: config.json: config.{key} is {config[key]}, but the "
                f"tokenizer has ids up to {tokenizer.vocabulary_size - 1:,}."
            )
    length, overlap = config.get("sequence_length"), config.get("window_overlap")
    if overlap is not None and length is not None and length - overlap < least:
        raise KzooError(
            f"{file}: config.json: config.window_overlap is {overlap}, which leaves no "
            f"room for a new piece in windows of {length} tokens; it may be "
            f"{length - least} at most."
        )


def _require_finite(content, datasets, where):
    for path, array in datasets.items():
        if array.dtype.kind != "f":
            continue
        count = math.prod(array.shape)
        values = (
            np.frombuffer(content, array.dtype, count, array.start) if count else []
        )
        for at in range(0, count, AT_ONCE):
            bad = np.flatnonzero(~np.isfinite(values[at : at + AT_ONCE]))
            if len(bad):
                place = (
                    np.unravel_index(at + bad[0], array.shape) if array.shape else ()
                )
                raise KzooError(
                    f"{where}: {path} holds {values[at + bad[0]]} at "
                    f"{tuple(map(int, place))}; a model with such weights answers "
                    "nothing, so train it again."
                )


def _labels(archive, file, description):
    where = f"{file}: {NAMES}"
    labels = parse(archive.read(NAMES), where)
    if not isinstance(labels, list) or not all(isinstance(n, str) for n in labels):
        raise KzooError(f"{where}: this is not a list of names.")
    for name in labels:
        if not is_unicode(name):
            raise KzooError(f"{where}: the label {name!r:.60} is not Unicode text.")
    if len(set(labels)) != len(labels):
        twice = next(name for name in labels if labels.count(name) > 1)
        raise KzooError(f"{where}: the label {twice!r:.60} stands there twice.")
    classes = description["config"].get("num_classes")
    if len(labels) != classes:
        raise KzooError(
            f"{where}: there are {len(labels):,} labels for a model of {classes} "
            "classes."
        )
    return labels


def _tokenizer(content, file, description):
    where = f"{file}: {TOKENIZER}"
    try:
        text = str(content, "utf-8")
    except UnicodeDecodeError as error:
        raise KzooError(f"{where}: byte {error.start} is not UTF-8 text.") from None
    tokenizer = Tokenizer.from_json(text, source=where)
    tokens = tokenizer.vocabulary_size
    vectors = next(find(description, "vocabulary_size"), (None, None))[1]
    if not isinstance(vectors, int) or tokens > vectors:
        raise KzooError(
            f"{where}: the tokenizer has ids up to {tokens - 1:,}, but the encoder has "
            f"{vectors} vectors."
        )
    return tokenizer
