"""Finding and opening a saved model, with one sentence where it cannot be."""

from importlib.resources import as_file, files
from pathlib import Path

import keras
from kzoo_recipes import KzooError

from kzoo.models.checking import check_archive, reason_of
from kzoo.safety.kinds import kind_of_folder

ZOO = "zoo:"


def load_model(path):
    """Load a model that kzoo saved, on whatever backend runs.

    The file is checked as by `check_model_file` before Keras sees it.

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


def check_model_file(path):
    """Refuse a file that is not a model exactly as kzoo saves it; make no model of it.

    kzoo itself looks at the archive, the classes and sizes of its `config.json`, its
    HDF5 file, every weight, the labels and the tokenizer, in memory that follows the
    size of the file. `keras.saving.load_model` does not pass here: check files that
    others gave you before you hand them to it.

    Args:
        path: str or path, as `load_model` takes it.

    Returns:
        dict: "class", str; "parameters", int; "labels", list of str, or `None` of a
        model that has none; "tokens", int, how many ids the tokenizer has; "bytes",
        int, the size of the file.

    Raises:
        KzooError: naming the file, and the member or key that is wrong.
    """
    with model_file(path) as file:
        return check_archive(file)


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
        kind = kind_of_folder([entry.name for entry in file.iterdir()])
        file = file / "model.keras"
        if kind and not file.exists():
            raise KzooError(f"{path}: {kind}")
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
    check_archive(file)
    try:
        model = keras.saving.load_model(file, compile=False, safe_mode=True)
    except Exception as error:  # Keras raises every kind for a broken archive.
        raise KzooError(
            f"{file}: this archive does not load as a Keras model: {reason_of(error)}."
        ) from error
    try:
        model.require_text()
    except KzooError as error:
        raise KzooError(f"{file}: {error}") from error
    return model
