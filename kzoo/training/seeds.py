"""One recipe under several seeds: how much of a figure is chance."""

import dataclasses
import statistics
from pathlib import Path

import msgspec
from kzoo_recipes import INT32_MAX, KzooError, load, run_folder

from kzoo.tasks import TASKS
from kzoo.training.checkpoints import Checkpoints
from kzoo.training.fingerprint import check_same_rows, fingerprint
from kzoo.training.history import plain, write_json
from kzoo.training.keeping import with_its_fingerprint
from kzoo.training.pursuit import read_result
from kzoo.training.resuming import check_changes, resume
from kzoo.training.run import resolve, train
from kzoo.training.unfinished import Unfinished


@dataclasses.dataclass(frozen=True)
class SeedsResult:
    """What the runs of several seeds left behind.

    Attributes:
        file: `Path` of the summary, JSON.
        runs: dict of seed to `RunResult`.
        summary: dict of split to metric to `{"mean", "spread", "lowest", "highest"}`;
            the spread is the standard deviation over the seeds, n - 1 below the line,
            `None` for a single seed.
    """

    file: Path
    runs: dict
    summary: dict


def train_seeds(
    recipe,
    seeds,
    output="saved_models",
    force=False,
    progress=True,
    backend=None,
    callbacks=(),
    say=lambda text: None,
):
    """Train a recipe once for each seed, and sum up dev and test.

    The run of a seed is `output/<recipe>-seed-<seed>/<backend>`. Called again, it takes
    the runs that are complete as they are and resumes one that was interrupted; all of
    them must have the recipe's values and rows.

    Args:
        recipe: `Recipe`, a shipped name or the path of a .toml file.
        seeds: iterable of int, each once.
        output: str or `Path`. The folder for runs.
        force: bool. Whether to train all of them anew.
        progress: bool. Whether to show progress on stderr.
        backend: str. The backend that is expected to run.
        callbacks: iterable of `keras.callbacks.Callback`, for every run.
        say: function of a str. Told what happens to each seed.

    Returns:
        `SeedsResult`.

    Raises:
        KzooError: if a seed is not one, a run that is there has another recipe or
            other rows, or as `train` and `resume` do.
    """
    recipe, seeds = resolve(recipe, backend), list(seeds)
    check_seeds(seeds)
    base, runs = recipe.name or recipe.task, {}
    of_seed = {
        seed: msgspec.structs.replace(recipe, seed=seed, name=f"{base}-seed-{seed}")
        for seed in seeds
    }
    if not force:  # Before hours are spent on the first of them.
        of_folder = [(Unfinished(run_folder(r, output)), r) for r in of_seed.values()]
        check_runs(of_folder, say)
    for seed, own in of_seed.items():
        unfinished = Unfinished(run_folder(own, output))
        folder = unfinished.folder
        if not force and unfinished.exists:
            say(f"seed {seed}: resumes {folder}")
            runs[seed] = resume(folder, progress=progress, callbacks=callbacks)
        elif not force and is_complete(folder):
            say(f"seed {seed}: {folder} is complete and taken as it is")
            runs[seed] = read_result(folder)
        else:
            say(f"seed {seed}: trains {folder}")
            runs[seed] = train(own, output, force, progress, callbacks=callbacks)
    summary = summed_up([runs[seed].metrics for seed in seeds])
    file = Path(output) / f"{base}-seeds-{recipe.backend}.json"
    of_seeds = {
        seed: {"folder": str(run.folder), "metrics": run.metrics}
        for seed, run in runs.items()
    }
    write_json(file, {"seeds": seeds, "summary": summary, "runs": of_seeds})
    return SeedsResult(file, runs, summary)


def check_seeds(seeds):
    """Raise a `KzooError` unless there are seeds, whole numbers, each once."""
    for seed in seeds:
        whole = isinstance(seed, int) and not isinstance(seed, bool)
        if not whole or not 0 <= seed <= INT32_MAX:
            raise KzooError(
                f"seeds are whole numbers from 0 to {INT32_MAX}. Received: {seed!r}"
            )
    twice = sorted({seed for seed in seeds if seeds.count(seed) > 1})
    if twice or not seeds:
        what = f"seed {twice[0]} is named twice" if twice else "there is no seed"
        raise KzooError(f"{what}; name different ones, as in --seeds 1,2,3.")


def is_complete(folder):
    return (folder / "metrics.json").is_file()


def check_runs(runs, say):
    """Raise a `KzooError` if figures of runs that are there cannot stand together.

    Args:
        runs: list of (`Unfinished`, `Recipe` of its seed). Rows do not depend on seeds.
        say: function of a str. Told what could not be compared.
    """
    rows = None
    for unfinished, recipe in runs:
        folder = unfinished.folder
        home = unfinished.path if unfinished.exists else folder
        if home == folder and not is_complete(folder):
            continue
        check_same_recipe(folder, home, recipe)
        if rows is None:
            rows = fingerprint(TASKS[recipe.task]().prepare(recipe).splits)
        try:
            loaded = Checkpoints(home / "checkpoints").newest(say)
            if loaded is not None:
                check_same_rows(loaded[2]["data"], rows, recipe.data)
            elif home == folder:
                say(f"{folder} has no checkpoint, so nothing tells what its rows were")
        except KzooError as error:
            raise KzooError(f"{folder} cannot be taken as it is: {error}") from None


def check_same_recipe(folder, home, recipe):
    before = load(home / "recipe.toml")
    changes = check_changes(folder, before, with_its_fingerprint(before, recipe))
    if changes:
        keys = ", ".join(".".join(path) for path in changes)
        raise KzooError(
            f"{folder} is there already, with another {keys}: give the runs a name of "
            "their own (--set name=…), or train all of them anew with --force."
        )


def summed_up(metrics):
    """Mean and spread over runs of every number of dev and test."""
    summary = {}
    for split in ("dev", "test"):
        columns = [plain(of_run[split]) for of_run in metrics]
        summary[split] = {
            name: statistics_of([column.get(name) for column in columns])
            for name, value in columns[0].items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        }
    return summary


def statistics_of(values):
    """Mean, spread, lowest and highest; of nothing if one of them is no number."""
    if any(value is None for value in values):
        return dict.fromkeys(("mean", "spread", "lowest", "highest"))
    return {
        "mean": statistics.fmean(values),
        "spread": statistics.stdev(values) if len(values) > 1 else None,
        "lowest": min(values),
        "highest": max(values),
    }
