"""`kzoo validate RECIPE…`."""

import click
from kzoo_recipes import KzooError, load

from ..options import override_option
from ..output import MISUSED, complain, print_json


@click.command()
@click.argument("recipes", nargs=-1, required=True, metavar="RECIPE...")
@override_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def validate(ctx, recipes, overrides, as_json):
    """Check recipes against the schema.

    RECIPE is a shipped name or a .toml file. Neither data nor backend is looked at.
    Exits with 2 if any recipe is wrong.
    """
    problems = {recipe: _problem(recipe, overrides) for recipe in recipes}
    if as_json:
        print_json(
            [
                {"recipe": recipe, "valid": problem is None, "error": problem}
                for recipe, problem in problems.items()
            ]
        )
    else:
        for recipe, problem in problems.items():
            if problem is None:
                click.echo(f"{recipe} is valid")
            else:
                complain(problem)
    if any(problems.values()):
        ctx.exit(MISUSED)


def _problem(recipe, overrides):
    try:
        load(recipe, overrides)
    except KzooError as problem:
        return str(problem)
