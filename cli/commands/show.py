"""`kzoo show RECIPE`."""

import click
from kzoo_recipes import effective, find, load, to_toml
from kzoo_recipes.layer_rates import layer_rates

from ..options import override_option
from ..output import note, print_json


@click.command()
@click.argument("recipe")
@click.option("--resolved", is_flag=True, help="Show every key, defaults filled in.")
@override_option
@click.option("--json", "as_json", is_flag=True, help="Print it resolved, as JSON.")
def show(recipe, resolved, overrides, as_json):
    """Print a recipe, comments and all.

    RECIPE is a shipped name or a .toml file. It must be valid.
    """
    loaded = load(recipe, overrides)  # What is shown is what trains.
    if as_json:
        print_json(effective(loaded))
    elif resolved or overrides:
        click.echo(to_toml(loaded), nl=False)
    else:
        click.echo(find(recipe).read_text("utf-8-sig"), nl=False)
    rates = layer_rates(loaded)
    if rates and not as_json:
        shown = ", ".join(f"{name} {rate:.3g}" for name, rate in rates.items())
        note(f"peak rates by layer: {shown}; `kzoo train --dry-run` says them all")
