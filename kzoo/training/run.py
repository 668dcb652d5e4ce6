"""One run, from a recipe to a folder with a model."""

import time

import msgspec
from kzoo_recipes import KzooError, Recipe, load, run_folder
from kzoo_recipes.run_folders import check_folder

from kzoo.training import backend as running
from kzoo.training.callbacks import check_callbacks
from kzoo.training.checkpoints import Checkpoints
from kzoo.training.keeping import keep_pretrained
from kzoo.training.logs import check_logs
from kzoo.training.pursuit import Pursuit, part
from kzoo.training.setup import set_up
from kzoo.training.standing import Standing
from kzoo.training.unfinished import Unfinished


def train(
    recipe,
    output="saved_models",
    force=False,
    progress=True,
    backend=None,
    callbacks=(),
):
    """Train a recipe and save the run.

    While it trains, the run lies in `output/<recipe>/.<backend>.running`. It stays
    there if the process ends early, and `resume` continues it.

    Args:
        recipe: `Recipe`, a shipped name or the path of a .toml file.
        output: str or `Path`. The run goes to `output/<recipe>/<backend>`.
        force: bool. Whether to replace a run that is there, once this one is done,
            and to discard an interrupted one.
        progress: bool. Whether to show progress on stderr.
        backend: str. The backend that is expected to run. Keras cannot change it in
            a process, so another one is an error. `None` takes what runs.
        callbacks: iterable of `keras.callbacks.Callback`.

    Returns:
        `RunResult`.

    Raises:
        KzooError: if the recipe, its data or the output folder cannot be used, or
            training diverges. Before the first checkpoint, nothing is left behind.
        KeyboardInterrupt: after SIGINT, once the run is saved.
        Terminated: after SIGTERM, once the run is saved.
    """
    began = time.perf_counter()
    recipe = resolve(recipe, backend)
    callbacks = tuple(callbacks)
    unfinished = Unfinished(run_folder(recipe, output))
    check_folder(unfinished.folder, force)
    check_unfinished(unfinished, force)
    check_callbacks(callbacks)
    check_logs(recipe.training)
    setup = set_up(recipe)
    recipe = setup.recipe
    with unfinished.held():
        check_folder(unfinished.folder, force)  # It took a while to get here.
        check_kept(unfinished, force)
        unfinished.begin(recipe, replaces=force)
        keep_pretrained(setup.prepared, unfinished.path)
        return Pursuit(
            recipe,
            setup,
            unfinished,
            Standing(began=began),
            parts=[part(0)],
            notes=setup.prepared.notes,
            progress=progress,
            callbacks=callbacks,
        ).finish()


def resolve(recipe, backend=None):
    """The recipe, loaded if it is named, with the backend that runs."""
    if not isinstance(recipe, Recipe):
        recipe = load(recipe)
    if backend not in (None, running.name()):
        raise KzooError(
            f"Keras runs on {running.name()} in this process, not on {backend}: set "
            f"KERAS_BACKEND={backend} before Keras is imported."
        )
    return msgspec.structs.replace(recipe, backend=running.name())


def check_unfinished(unfinished, force):
    """Raise a `KzooError` if a run lies there that would be lost."""
    if unfinished.is_held():
        raise KzooError(f"{unfinished.folder} is being trained by another process.")
    check_kept(unfinished, force)


def check_kept(unfinished, force):
    folder = unfinished.folder
    steps = Checkpoints(unfinished.checkpoints).steps()
    if steps and not force:
        raise KzooError(
            f"{folder}: an interrupted run of it is kept, as of step {steps[-1]:,}: "
            f"`kzoo resume {folder}` continues it, --force discards it."
        )
