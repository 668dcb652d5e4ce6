"""`kzoo cp RECIPE [TARGET]`."""

from pathlib import Path

import click
from kzoo_recipes import KzooError, find

from ..output import print_json


@click.command()
@click.argument("recipe")
@click.argument("target", required=False, type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace TARGET if it is there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cp(recipe, target, force, as_json):
    """Copy a recipe, to make it your own.

    TARGET is a file or a folder, the working directory unless given. Files that the
    recipe names are then looked for beside the copy.
    """
    source = find(recipe)
    content = source.read_bytes()  # Before TARGET is opened: it may be the same file.
    target = target or Path()
    if target.is_dir():
        target = target / source.name
    try:
        with target.open("wb" if force else "xb") as file:
            file.write(content)
    except FileExistsError:
        raise KzooError(f"{target} is there already; --force replaces it.") from None
    except FileNotFoundError:
        raise KzooError(f"there is no folder {target.parent} to copy to.") from None
    except OSError as error:
        raise KzooError(f"cannot write {target}: {error.strerror}.") from None
    if as_json:
        print_json({"path": target})
    else:
        click.echo(f"Copied {recipe} to {target}")
