"""`kzoo ls`."""

import click
from kzoo_recipes import describe, find, names

from ..output import print_described, print_json


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def ls(as_json):
    """List the recipes that ship with kzoo."""
    rows = [(name, describe(name)) for name in names()]
    if as_json:
        print_json(
            [
                {"name": name, "description": text, "path": find(name)}
                for name, text in rows
            ]
        )
    else:
        print_described(rows)
