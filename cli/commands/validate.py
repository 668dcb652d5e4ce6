"""`kzoo validate RECIPE…`."""

import click
from kzoo_recipes import KzooError, RecipeError, load

from ..options import override_option
from ..output import MISUSED, complain, print_json


@click.command()
@click.argument("recipes", nargs=-1, required=True, metavar="RECIPE...")
@override_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def validate(ctx, recipes, overrides, as_json):
    """Check recipes against the schema.

    RECIPE is a shipped name or a .toml file. Every mistake is listed. Neither data nor
    backend is looked at. Exits with 2 if any recipe is wrong.
    """
    mistakes = {recipe: _mistakes(recipe, overrides) for recipe in recipes}
    if as_json:
        print_json(
            [
                {"recipe": recipe, "valid": not found, "errors": found}
                for recipe, found in mistakes.items()
            ]
        )
    else:
        for recipe, found in mistakes.items():
            for mistake in found:
                complain(mistake["message"])
            if not found:
                click.echo(f"{recipe} is valid")
    if any(mistakes.values()):
        ctx.exit(MISUSED)


def _mistakes(recipe, overrides):
    """What is wrong with a recipe; `key` is None where it cannot be read at all."""
    try:
        load(recipe, overrides)
    except RecipeError as error:
        return [{"key": key, "message": text} for key, text in error.mistakes]
    except KzooError as error:
        return [{"key": None, "message": str(error)}]
    return []
