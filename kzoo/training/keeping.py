"""What a run keeps of its pretrained encoder, and what it has beside that."""

from kzoo_recipes.folders import said_by

from kzoo.interop.adapters import FILE, save_adapter
from kzoo.interop.origins import BY_A_RUN
from kzoo.tasks.adapting import adapter_weights, warmth
from kzoo.tasks.pretrained import with_table
from kzoo.training.checkpoints import Checkpoints

FOLDER = "pretrained"  # of a run


def keep_pretrained(prepared, home):
    """Write the description and the tokenizer of a pretrained encoder, if there is one.

    Args:
        prepared: what a task made of its rows.
        home: `Path`, the folder in which the run lies.
    """
    if prepared.pretrained is not None:
        with said_by(home / FOLDER):
            prepared.pretrained.keep(home / FOLDER)


def keep_adapter(recipe, model, prepared, home):
    """Write what an adapted model has beside its checkpoint, if it is adapted.

    Args:
        recipe: `Recipe`, which says of what weights the run began.
        model: the task's model, trained.
        prepared: what a task made of its rows.
        home: `Path`, the folder in which the run lies.
    """
    if recipe.adaptation is None:
        return
    base = {
        "name": recipe.model.pretrained,
        "sha256": recipe.model.pretrained_sha256,
    }
    weights = adapter_weights(recipe, model, prepared)
    save_adapter(home / FILE, model, weights, base, warmth(recipe, prepared))


def as_kept(recipe, home):
    """The recipe, with what the run keeps in place of the checkpoint, if it suffices.

    It does once there is a checkpoint of training, if that has all weights: those of an
    adapted run leave out what the checkpoint has.
    """
    folder = home / FOLDER
    if recipe.model.pretrained is None or not folder.is_dir():
        return recipe
    checkpoints = Checkpoints(home / "checkpoints")
    if not checkpoints.steps() or not checkpoints.are_whole():
        return recipe
    return with_table(recipe, pretrained=BY_A_RUN + str(folder.absolute()))


def with_its_fingerprint(before, wanted):
    """The recipe to go on with, which need not say of what weights the run began."""
    pretrained, found = before.model.pretrained, before.model.pretrained_sha256
    said = wanted.model.pretrained_sha256
    if pretrained is None or wanted.model.pretrained != pretrained or said is not None:
        return wanted
    return with_table(wanted, pretrained_sha256=found)
