"""`kzoo resume RUN`."""

import click
from kzoo_recipes import find_run, is_unfinished, load, running_folder

from ..at_once import look_for_files
from ..backend import ask_for_determinism, backend_option, start_kzoo
from ..options import override_option, runs_option
from ..promises import check_promises, end_with_promises, expect_option
from ..results import print_result
from ..runs import backend_for


@click.command()
@click.argument("run")
@backend_option
@click.option(
    "--recipe",
    metavar="FILE",
    help="The recipe as it is now, if its duration or logging changed.",
)
@override_option
@runs_option("Folder for runs, in which a RUN that is a recipe's name is looked for.")
@expect_option
@click.option("--json", "as_json", is_flag=True, help="Print the metrics as JSON.")
@click.pass_context
def resume(ctx, run, backend, recipe, overrides, output, expect, as_json):
    """Continue an interrupted run.

    RUN is the run's folder, as in saved_models/text_classifier/jax, or its recipe's
    name. A complete run trains on if --set raises its duration. Runs on --backend,
    else on KERAS_BACKEND, else on the backend of the run.
    """
    folder = find_run(run, output)
    home = running_folder(folder.absolute()) if is_unfinished(folder) else folder
    wanted = load(recipe or home / "recipe.toml", overrides)
    check_promises(wanted, expect)
    if is_unfinished(folder) or recipe or overrides:  # Else there is nothing to train.
        look_for_files(wanted, checkpoint=False)
    backend = backend_for(home, backend)
    if wanted.training.deterministic:
        ask_for_determinism(backend)
    kzoo = start_kzoo(backend)
    result = kzoo.resume(folder, recipe=recipe, overrides=overrides, output=output)
    print_result(result, as_json)
    end_with_promises(ctx, [result], expect)
