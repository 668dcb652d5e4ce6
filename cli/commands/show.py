"""`kzoo show RECIPE`."""

import click
from kzoo_recipes import dict_of, find, load, to_toml

from ..options import override_option
from ..output import print_json


@click.command()
@click.argument("recipe")
@click.option("--resolved", is_flag=True, help="Show every key, defaults filled in.")
@override_option
@click.option("--json", "as_json", is_flag=True, help="Print it resolved, as JSON.")
def show(recipe, resolved, overrides, as_json):
    """Print a recipe, comments and all.

    RECIPE is a shipped name or a .toml file. It must be valid.
    """
    if as_json:
        print_json(dict_of(load(recipe, overrides)))
    elif resolved or overrides:
        click.echo(to_toml(load(recipe, overrides)), nl=False)
    else:
        load(recipe)  # What is shown is what trains.
        click.echo(find(recipe).read_text("utf-8-sig"), nl=False)
