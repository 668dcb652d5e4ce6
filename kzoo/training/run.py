"""One run, from a recipe to a folder with a model."""

import dataclasses
import os
import time
from pathlib import Path

import msgspec
from kzoo_recipes import KzooError, Recipe, load, to_toml

from kzoo.training import backend as running
from kzoo.training import freezing
from kzoo.training.environment import environment
from kzoo.training.folders import written_beside
from kzoo.training.history import History, plain, write_json
from kzoo.training.loop import Plan, fit
from kzoo.training.progress import make_progress
from kzoo.training.promises import kept_promises, missed
from kzoo.training.setup import set_up


@dataclasses.dataclass(frozen=True)
class RunResult:
    """What a run left behind.

    Attributes:
        folder: `Path` of the run folder.
        metrics: dict, as in its `metrics.json`: "dev" and "test" of the best
            checkpoint, "best_step", "steps", "parameters", "trained_parameters",
            "seconds", "examples_per_second", and "expect", what the recipe promised.
    """

    folder: Path
    metrics: dict


def train(recipe, output="saved_models", force=False, progress=True, backend=None):
    """Train a recipe and save the run.

    Args:
        recipe: `Recipe`, a shipped name or the path of a .toml file.
        output: str or `Path`. The run goes to `output/<recipe>/<backend>`.
        force: bool. Whether to replace a run that is there, once this one is done.
        progress: bool. Whether to show progress on stderr.
        backend: str. The backend that is expected to run. Keras cannot change it in
            a process, so another one is an error. `None` takes what runs.

    Returns:
        `RunResult`.

    Raises:
        KzooError: if the recipe, its data or the output folder cannot be used, or
            training diverges. Nothing is left behind then.
    """
    began = time.perf_counter()
    recipe = resolve(recipe, backend)
    settings = recipe.training
    folder = Path(output) / (recipe.name or recipe.task) / recipe.backend
    check_folder(folder, force)

    setup = set_up(recipe)
    with (
        written_beside(folder, replace=force) as partial,
        History(partial / "history.jsonl") as history,
        make_progress(setup.total_steps, progress) as shown,
    ):
        for note in setup.prepared.notes:
            shown.say(note)
        best = fit(
            setup.stepper,
            setup.batches,
            setup.schedule,
            lambda: setup.evaluate("dev"),
            Plan(
                setup.total_steps,
                settings.evaluate_every or len(setup.batches),
                settings.metric,
            ),
            partial / "checkpoints",
            history,
            shown,
        )
        metrics = {
            "dev": best.metrics,
            "test": setup.evaluate("test"),
            "best_step": best.step,
            "steps": setup.total_steps,
            "parameters": setup.model.count_params(),
            "trained_parameters": freezing.count(setup.model.trainable_variables),
            "seconds": round(time.perf_counter() - began, 1),
            "examples_per_second": best.examples_per_second,
        }
        metrics["expect"] = kept_promises(recipe.expect, metrics["test"])
        for name, promise in metrics["expect"].items():
            if not promise["reached"]:
                shown.say(missed(name, promise))
        metrics = plain(metrics)
        setup.model.save(partial / "model.keras")
        (partial / "recipe.toml").write_text(to_toml(recipe), encoding="utf-8")
        write_json(partial / "metrics.json", {**metrics, "notes": setup.prepared.notes})
        write_json(partial / "environment.json", environment(settings.precision))
    return RunResult(folder, metrics)


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


def check_folder(folder, force):
    """Raise a `KzooError` if the run folder cannot be written."""
    if folder.exists() and not force:
        raise KzooError(
            f"{folder} is there already: give the run a name of its own (--set "
            "name=…) or another output folder, or replace it with --force."
        )
    if folder.is_symlink() or (folder.exists() and not _is_run(folder)):
        raise KzooError(
            f"{folder} is not a run of kzoo, so it is not replaced: move it away, or "
            "name another output folder."
        )
    above = next(path for path in folder.absolute().parents if path.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise KzooError(f"{folder} cannot be written: look at {above}.")


def _is_run(folder):
    """Whether kzoo wrote `folder`, or nothing is in it that could be lost."""
    if not folder.is_dir():
        return False
    return (folder / "metrics.json").is_file() or not any(folder.iterdir())
