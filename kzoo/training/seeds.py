"""One recipe under several seeds: how much of a figure is chance."""

import dataclasses
import statistics
from pathlib import Path

import msgspec
from kzoo_recipes import KzooError, load, run_folder

from kzoo.training.history import plain, write_json
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
    the runs that are complete as they are and resumes one that was interrupted.

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
        KzooError: if a seed is not one, or as `train` and `resume` do.
    """
    recipe, seeds = resolve(recipe, backend), list(seeds)
    check_seeds(seeds)
    base, runs = recipe.name or recipe.task, {}
    for seed in seeds:
        own = msgspec.structs.replace(recipe, seed=seed, name=f"{base}-seed-{seed}")
        unfinished = Unfinished(run_folder(own, output))
        folder = unfinished.folder
        if not force and unfinished.exists:
            say(f"seed {seed}: resumes {folder}")
            check_changes(folder, load(unfinished.path / "recipe.toml"), own)
            runs[seed] = resume(folder, progress=progress, callbacks=callbacks)
        elif not force and (folder / "metrics.json").is_file():
            say(f"seed {seed}: {folder} is complete and taken as it is")
            check_same_recipe(folder, own)
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
        if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
            raise KzooError(f"seeds are whole numbers from 0. Received: {seed!r}")
    twice = sorted({seed for seed in seeds if seeds.count(seed) > 1})
    if twice or not seeds:
        what = f"seed {twice[0]} is named twice" if twice else "there is no seed"
        raise KzooError(f"{what}; name different ones, as in --seeds 1,2,3.")


def check_same_recipe(folder, recipe):
    changes = check_changes(folder, load(folder / "recipe.toml"), recipe)
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
