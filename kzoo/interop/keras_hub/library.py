"""keras-hub itself: imported late, since it costs seconds and loads TensorFlow."""

import json
from pathlib import Path

from kzoo_recipes import KzooError

# The class of a task that a folder holds, by how its name ends, and how it is read.
TASKS = ("TextClassifier", "Seq2SeqLM")


def keras_hub():
    """The module.

    Raises:
        KzooError: if it is not installed.
    """
    try:
        import keras_hub
    except ImportError as error:
        raise KzooError(
            f"keras-hub cannot be imported ({error}); install it by "
            'pip install "kzoo[keras-hub]".'
        ) from None
    return keras_hub


def loaded(preset_or_model):
    """A backbone or task of keras-hub, its tokenizer, and what errors call it.

    Args:
        preset_or_model: a backbone, a task, or what `from_preset` takes.

    Returns:
        The model; its tokenizer or `None`; str.

    Raises:
        KzooError: if there is no such preset, or it is no model of text.
    """
    library = keras_hub()
    if isinstance(preset_or_model, library.models.Backbone | library.models.Task):
        model = preset_or_model
        tokenizer = getattr(getattr(model, "preprocessor", None), "tokenizer", None)
        return model, tokenizer, f"keras-hub's {type(model).__name__}"
    if not isinstance(preset_or_model, str | Path):
        raise KzooError(
            "kzoo reads a backbone or task of keras-hub, or a preset; this is a "
            f"{type(preset_or_model).__name__}."
        )
    preset = str(preset_or_model)
    task = _task_in(Path(preset))
    try:
        if task is not None:
            model = getattr(library.models, task).from_preset(preset)
            tokenizer = getattr(model.preprocessor, "tokenizer", None)
            return model, tokenizer, preset
        model = library.models.Backbone.from_preset(preset)
    except Exception as error:
        # From a name that is none to a network that is not there.
        raise KzooError(
            f"{preset}: keras-hub reads no model from here: {_first_line(error)}"
        ) from None
    return model, _tokenizer(library, preset), preset


def _tokenizer(library, preset):
    """The tokenizer of a preset, or `None` if it has none."""
    if Path(preset).is_dir() and not Path(preset, "tokenizer.json").exists():
        return None
    try:
        return library.tokenizers.Tokenizer.from_preset(preset)
    except Exception as error:
        raise KzooError(
            f"{preset}: keras-hub cannot read the tokenizer: {_first_line(error)}"
        ) from None


def _task_in(folder):
    """Which of `TASKS` a folder holds, or `None`."""
    path = folder / "task.json"
    if not path.is_file():
        return None
    try:
        name = str(json.loads(path.read_bytes())["class_name"])
    except (ValueError, TypeError, KeyError):
        raise KzooError(
            f"{path}: this is no description of a task; save the preset again."
        ) from None
    return next((task for task in TASKS if name.endswith(task)), None)


def _first_line(error):
    """What an error says, in one sentence."""
    said = " ".join(str(error).split())
    return f"{said[:300].rstrip('.')}." if said else f"{type(error).__name__}."
