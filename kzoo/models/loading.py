"""Finding and opening a saved model, with one sentence where it cannot be."""

import zipfile
from importlib.resources import as_file, files
from pathlib import Path

import keras
from kzoo_recipes import KzooError

from kzoo.models.text_model import TextModel

ZOO = "zoo:"


def load_model(path):
    """Load a model that kzoo saved, on whatever backend runs.

    Args:
        path: str or path of a `.keras` file or of a run folder that holds
            `model.keras`; or `"zoo:NAME"`, a model that ships with kzoo.

    Returns:
        A `kzoo` model, uncompiled, with its tokenizer and labels.

    Raises:
        KzooError: if there is no such file, or it is not a kzoo model.
    """
    with model_file(path) as file:
        return _load(file)


def model_file(path):
    """Return a context manager that gives the `.keras` file behind `path`.

    Raises:
        KzooError: if there is none.
    """
    path = str(path)
    if path.startswith(ZOO):
        return as_file(_zoo_entry(path.removeprefix(ZOO)))
    file = Path(path)
    if file.is_dir():
        file = file / "model.keras"
    if not file.is_file():
        raise KzooError(
            f"{path}: there is no model here; name a .keras file, a run folder that "
            f"holds model.keras, or {ZOO}NAME ({', '.join(map(ZOO.__add__, zoo()))})."
        )
    return as_file(file)


def zoo():
    """Return the names of the models that ship with kzoo."""
    entries = files("kzoo_zoo").iterdir()
    return sorted(
        e.name[: -len(".keras")] for e in entries if e.name.endswith(".keras")
    )


def _zoo_entry(name):
    if name not in zoo():
        raise KzooError(
            f"{ZOO}{name}: there is no such model in the zoo; "
            f"it holds {', '.join(zoo()) or 'none'}."
        )
    return files("kzoo_zoo") / f"{name}.keras"


def _load(file):
    if not zipfile.is_zipfile(file):
        raise KzooError(
            f"{file}: this is not a .keras archive; name a file that kzoo saved."
        )
    try:
        model = keras.saving.load_model(file, compile=False, safe_mode=True)
    except Exception as error:  # Keras raises every kind for a broken archive.
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise KzooError(
            f"{file}: this archive does not load as a Keras model: {reason}"
        ) from error
    if not isinstance(model, TextModel):
        raise KzooError(
            f"{file}: this is a Keras model of class {type(model).__name__}, "
            "not one that kzoo saved."
        )
    try:
        model.require_text()
    except KzooError as error:
        raise KzooError(f"{file}: {error}") from error
    return model
