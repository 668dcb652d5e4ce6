"""What a recipe promises under `[expect]`, at the end of a command that trains."""

import click
from kzoo_recipes import KzooError

from .output import FAILED, complain, note

expect_option = click.option(
    "--expect",
    is_flag=True,
    help="Exit with 1 if the run misses what the recipe promises; it is saved anyway.",
)


def check_promises(recipe, wanted):
    """Raise a `KzooError` if promises are `wanted` of a recipe that makes none."""
    if wanted and not recipe.expect:
        raise KzooError(
            "--expect needs a promise, and the recipe makes none of its rows: give it "
            "one under [expect], or with --set expect.accuracy.at_least=0.9."
        )


def end_with_promises(ctx, runs, wanted):
    """Say, last of all, what was missed; exit with 1 if promises were `wanted`.

    Where they were not, and there is one run, it said so itself, with its figures.

    Args:
        ctx: the running command's `click.Context`.
        runs: list of `kzoo.training.RunResult`.
        wanted: bool.
    """
    missed = [text for run in runs for text in _missed(run)]
    for text in missed:
        if wanted:
            complain(text)
        elif len(runs) > 1:
            note(click.style("Warning: ", fg="yellow", bold=True) + text)
    if missed and wanted:
        ctx.exit(FAILED)


def _missed(run):
    promises = run.metrics.get("expect", {})
    names = [name for name, promise in promises.items() if not promise["reached"]]
    if names:
        yield f"{run.folder} misses what its recipe promises: {', '.join(names)}."
