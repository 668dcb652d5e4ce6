"""`kzoo train RECIPE`."""

import click
from click.core import ParameterSource
from kzoo_recipes import load, run_folder
from kzoo_recipes.run_folders import check_folder
from msgspec.structs import replace

from ..at_once import look_for_files
from ..backend import ask_for_determinism, backend_option, start_kzoo
from ..dry_run_report import print_dry_run
from ..installed import own_or_installed
from ..options import override_option, runs_option
from ..output import note, print_json
from ..promises import check_promises, end_with_promises, expect_option
from ..results import print_result, print_seeds


def numbers(ctx, parameter, text):
    """`"1,2,3"` as a list."""
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"write whole numbers with commas between them, as in 1,2,3; not {text!r}.",
            ctx,
            parameter,
        ) from None


@click.command()
@click.argument("recipe")
@backend_option
@override_option
@runs_option("Folder for runs; this one goes to OUTPUT/<recipe>/<backend>.")
@click.option(
    "--seeds",
    metavar="N,N,…",
    callback=numbers,
    help="Train once for each seed and sum up; runs go to OUTPUT/<recipe>-seed-<N>. "
    "Those that are complete stay, an interrupted one is resumed.",
)
@click.option(
    "--force",
    is_flag=True,
    help="Replace the run that is there, and discard an interrupted one.",
)
@click.option(
    "--deterministic",
    is_flag=True,
    help="Equal bits in every run on a GPU too; --set training.deterministic=true.",
)
@click.option(
    "--dry-run",
    "dry",
    is_flag=True,
    help="Say what would be trained, make one step and leave nothing behind.",
)
@expect_option
@click.option("--json", "as_json", is_flag=True, help="Print the metrics as JSON.")
@click.pass_context
def train(
    ctx,
    recipe,
    backend,
    overrides,
    output,
    seeds,
    force,
    deterministic,
    dry,
    expect,
    as_json,
):
    """Train a recipe and save the model.

    RECIPE is a shipped name or a .toml file. Runs on --backend, else on
    KERAS_BACKEND, else on the recipe's backend, or the first that is installed.
    """
    if dry and seeds:
        raise click.UsageError("--dry-run and --seeds exclude each other; use one.")
    if deterministic:
        overrides = (*overrides, "training.deterministic=true")
    recipe = load(recipe, overrides)
    typed = any(text.partition("=")[0].strip() == "backend" for text in overrides)
    source = ctx.get_parameter_source("backend")
    # `--set backend=…` is typed, so it wins over the environment.
    if backend and not (typed and source is ParameterSource.ENVIRONMENT):
        recipe = replace(recipe, backend=backend)
    elif not typed:
        recipe = replace(recipe, backend=own_or_installed(recipe.backend, "recipe"))
    if dry and expect:
        raise click.UsageError("--dry-run measures nothing, so leave out --expect", ctx)
    check_promises(recipe, expect)
    look_for_files(recipe)
    if not (dry or seeds):
        check_folder(run_folder(recipe, output), force)
    if recipe.training.deterministic:
        ask_for_determinism(recipe.backend)
    kzoo = start_kzoo(recipe.backend)
    if dry:
        facts = kzoo.dry_run(recipe, output=output)
        print_json(facts) if as_json else print_dry_run(recipe, facts)
    elif seeds:
        result = kzoo.train_seeds(recipe, seeds, output=output, force=force, say=note)
        print_seeds(result, as_json)
        end_with_promises(ctx, result.runs.values(), expect)
    else:
        result = kzoo.train(recipe, output=output, force=force)
        print_result(result, as_json)
        end_with_promises(ctx, [result], expect)
