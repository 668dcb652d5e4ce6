"""Opening a saved model, with one sentence where it cannot be."""

import keras
from kzoo_recipes import KzooError

from kzoo.models.checking import check_archive, reason_of
from kzoo.safety.model_files import model_file


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
