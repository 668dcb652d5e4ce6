"""One run, from a recipe to a folder with a model."""

import dataclasses
import os
import time
from pathlib import Path

import msgspec
from kzoo_recipes import KzooError, Recipe, load, to_toml

from kzoo.tasks import TASKS
from kzoo.training import backend as running
from kzoo.training.environment import environment
from kzoo.training.folders import written_beside
from kzoo.training.history import History, plain, write_json
from kzoo.training.loop import Plan, fit
from kzoo.training.losses import make_loss
from kzoo.training.optimizer import AdamW
from kzoo.training.progress import make_progress
from kzoo.training.schedules import make_schedule
from kzoo.training.steppers import make_stepper


@dataclasses.dataclass(frozen=True)
class RunResult:
    """What a run left behind.

    Attributes:
        folder: `Path` of the run folder.
        metrics: dict, as in its `metrics.json`: "dev" and "test" of the best
            checkpoint, "best_step", "steps", "parameters", "seconds",
            "examples_per_second", and "expect", what the recipe promised.
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

    task = TASKS[recipe.task]()
    prepared = task.prepare(recipe)
    batches = task.batches(recipe, prepared)
    total_steps = settings.steps or settings.epochs * len(batches)
    schedule = make_schedule(
        settings.schedule,
        settings.learning_rate,
        total_steps,
        warmup_steps(settings, total_steps),
    )
    model = task.build(recipe, prepared)
    loss = make_loss(task.loss, label_smoothing=settings.label_smoothing)
    stepper = make_stepper(model, loss, make_optimizer(settings))

    def evaluate(split):
        return task.evaluate(
            stepper.predict, prepared, split, settings.evaluation_batch_size
        )

    with (
        written_beside(folder, replace=force) as partial,
        History(partial / "history.jsonl") as history,
        make_progress(total_steps, progress) as shown,
    ):
        for note in prepared.notes:
            shown.say(note)
        best = fit(
            stepper,
            batches,
            schedule,
            lambda: evaluate("dev"),
            Plan(total_steps, settings.evaluate_every or len(batches), settings.metric),
            partial / "checkpoints",
            history,
            shown,
        )
        metrics = {
            "dev": best.metrics,
            "test": evaluate("test"),
            "best_step": best.step,
            "steps": total_steps,
            "parameters": model.count_params(),
            "seconds": round(time.perf_counter() - began, 1),
            "examples_per_second": best.examples_per_second,
        }
        metrics["expect"] = kept_promises(recipe.expect, metrics["test"])
        for name, promise in metrics["expect"].items():
            if not promise["reached"]:
                shown.say(missed(name, promise))
        metrics = plain(metrics)
        model.save(partial / "model.keras")
        (partial / "recipe.toml").write_text(to_toml(recipe), encoding="utf-8")
        write_json(partial / "metrics.json", {**metrics, "notes": prepared.notes})
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


def warmup_steps(settings, total_steps):
    if settings.warmup_steps is not None:
        return settings.warmup_steps
    return round(settings.warmup_share * total_steps)


def make_optimizer(settings):
    return AdamW(
        beta_1=settings.beta_1,
        beta_2=settings.beta_2,
        epsilon=settings.epsilon,
        weight_decay=settings.weight_decay,
        clip_norm=settings.clip_norm or None,  # A recipe's 0 is no clipping.
    )


def kept_promises(expect, metrics):
    """What `[expect]` promises of the test metrics, and whether it was reached."""
    promises = {}
    for name, bound in expect.items():
        value = metrics[name]
        low, high = bound.at_least, bound.at_most
        reached = (low is None or value >= low) and (high is None or value <= high)
        limits = {"at_least": low, "at_most": high}
        given = {key: limit for key, limit in limits.items() if limit is not None}
        promises[name] = {**given, "value": value, "reached": bool(reached)}
    return promises


def missed(name, promise):
    """A promise that was not kept, in words."""
    limits = [
        f"{word} {promise[key]}"
        for key, word in (("at_least", "at least"), ("at_most", "at most"))
        if key in promise
    ]
    return (
        f"[expect] {name}: the recipe promises {' and '.join(limits)}, "
        f"but the test split gave {promise['value']:.4f}"
    )
