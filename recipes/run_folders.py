"""Where the runs of recipes lie: complete, or `.jax.running` until they are."""

import os
import re
from pathlib import Path

from .errors import KzooError
from .hints import nearest
from .loader import expanded, load

RUNNING = re.compile(r"\.(.+)\.running")


def run_folder(recipe, output):
    """The folder of a recipe's run when it is complete."""
    return Path(output) / (recipe.name or recipe.task) / recipe.backend


def running_folder(folder):
    """The folder in which the run of `folder` lies until it is complete."""
    return folder.with_name(f".{folder.name}.running")


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


def runs_near(path, output, holds):
    """The runs that may have been meant by a `path` at which there is none.

    Those in the folder in which it would lie, such as of the same recipe on another
    backend; else the ones of the recipe with the nearest name, there or in `output`.

    Args:
        path: `Path`.
        output: str or `Path`. The folder for runs.
        holds: str. The name of the file that makes a folder a run.

    Returns:
        list of str, sorted.
    """
    if path.suffix == ".keras":
        path = path.parent
    beside = _holding(path.parent, holds) if len(path.parts) > 1 else []
    if beside:
        return beside
    if len(path.parts) > 1 and not path.parent.is_dir():
        path = path.parent
    for folder in (path.parent, Path(output)):
        names = {Path(run).parent.name for run in _holding(folder, f"*/{holds}")}
        near = nearest(path.name, names)
        if near is not None:
            return _holding(folder / near, holds)
    return []


def _holding(folder, file):
    return sorted(str(found.parent) for found in folder.glob(f"*/{file}"))


def meant(runs):
    """`; did you mean a run?`, or nothing where there are none."""
    return f"; did you mean {' or '.join(runs)}?" if runs else ""


def recipe_beside(run):
    """The recipe of a saved model, or `None` if there is none beside it.

    Args:
        run: str or `Path`. A run folder, a `.keras` file or `"zoo:NAME"`.
    """
    if str(run).startswith("zoo:"):
        return None
    path = Path(run)
    file = (path if path.is_dir() else path.parent) / "recipe.toml"
    return load(file) if file.is_file() else None


def is_unfinished(folder):
    """Whether a run of `folder` goes on or was interrupted.

    One that has no recipe yet has not begun; it may be half a copy of a complete run.
    """
    running = running_folder(Path(folder).absolute())
    if (running / "recipe.toml").is_file():
        return True
    begun = any((running / "checkpoints").glob("step-*"))
    return begun and not (folder / "metrics.json").is_file()


def find_run(run, output="saved_models"):
    """The run to resume.

    Args:
        run: str or `Path`. The run's folder, the one in which it lies until it is
            complete, or what holds one of these: a folder or, in `output`, a recipe's
            name.
        output: str or `Path`. The folder for runs.

    Returns:
        `Path` of the run's folder. It, or its `running_folder`, is there.

    Raises:
        KzooError: if there is none, or more than one.
    """
    path = expanded(run)
    inner = RUNNING.fullmatch(path.resolve().name)
    if inner and path.is_dir():
        path = path.resolve().with_name(inner[1])
    if not path.absolute().name:
        raise KzooError(f"{run} is no run; name the folder of one.")
    if is_unfinished(path) or (path / "metrics.json").is_file():
        return path
    places = [path, Path(output) / path] if len(path.parts) == 1 else [path]
    for place in filter(Path.is_dir, places):
        inside = sorted(
            RUNNING.fullmatch(p.name)[1]
            for p in place.glob(".*.running")
            if RUNNING.fullmatch(p.name)
            and is_unfinished(place / RUNNING.fullmatch(p.name)[1])
        )
        if len(inside) == 1:
            return place / inside[0]
        if inside:
            raise KzooError(
                f"{place} holds {len(inside)} interrupted runs: name one of "
                f"{', '.join(str(place / name) for name in inside)}."
            )
        done = sorted(str(p.parent) for p in place.glob("*/metrics.json"))
        if done:
            which = (
                f"complete is {done[0]}, which trains on if you name it and raise"
                if len(done) == 1
                else f"complete are {', '.join(done)}: to train on, name one and raise"
            )
            raise KzooError(
                f"{place} holds no interrupted run; {which} --set training.epochs=…."
            )
    hint = meant(runs_near(path, output, "metrics.json"))
    if not hint:
        example = Path(output) / "text_classifier" / "jax"
        hint = f"; name its folder, as in {example}."
    raise KzooError(f"{run}: there is no such run{hint}")
