"""Models of kzoo as presets that keras-hub reads, and answers with alike."""

from pathlib import Path

from kzoo_recipes import KzooError
from kzoo_recipes.folders import check_free, said_by, written_beside

from kzoo.interop.keras_hub import tokenizers
from kzoo.interop.keras_hub.rows import ROWS
from kzoo.interop.keras_hub.writing import to_keras_hub


def export_keras_hub(model, folder, force=False):
    """Write a model such that keras-hub's `from_preset(folder)` loads it.

    A classifier whose head keras-hub has is read by `TextClassifier.from_preset`; of
    other models it is the backbone, `Backbone.from_preset`, with the tokenizer beside
    it where keras-hub has its kind. The folder is complete or not there.

    Args:
        model: what `to_keras_hub` takes.
        folder: str or path. Must not be there, or be empty, without `force`.
        force: bool. Whether to replace a folder that is there.

    Returns:
        dict: "folder", str; "architecture", str, the class of keras-hub; "files", list
        of str; "notes", list of str, what stays behind or begins anew.

    Raises:
        KzooError: if the folder is there, or as `to_keras_hub`.
    """
    folder, notes = Path(folder).absolute(), []
    check_free(folder, force)
    made = to_keras_hub(model, note=notes.append)
    kind = type(made).__name__
    tokenizer = None
    if kind in ROWS and getattr(model, "tokenizer", None) is not None:
        try:
            own = ROWS[kind].tokenizer
            tokenizer = tokenizers.to_keras_hub(model.tokenizer, own)
        except KzooError as error:
            notes.append(f"The tokenizer stays behind: {error}.")
    with said_by(folder), written_beside(folder, replace=True) as part:
        made.save_to_preset(str(part))
        if tokenizer is not None:
            tokenizer.save_to_preset(str(part))
    return {
        "folder": str(folder),
        "architecture": kind,
        "files": sorted(path.name for path in folder.iterdir()),
        "notes": [sentence.removesuffix(".") for sentence in notes],
    }
