"""`kzoo schema`."""

import json

import click
from kzoo_recipes.json_schema import json_schema
from kzoo_recipes.reference import reference


@click.command()
@click.option(
    "--markdown", is_flag=True, help="Print the reference for readers, docs/recipes.md."
)
def schema(markdown):
    """Print the schema of recipes, for editors.

    It is JSON Schema, draft 2020-12: every key with its type, range, default and
    meaning. `kzoo schema > kzoo.schema.json`, then `#:schema kzoo.schema.json` as a
    line of a recipe, gives editors completion and checks.
    """
    if markdown:
        click.echo(reference(), nl=False)
    else:
        click.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
