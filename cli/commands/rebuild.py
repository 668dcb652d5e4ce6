"""`kzoo rebuild ADAPTER FILE`."""

import os
from pathlib import Path

import click
from kzoo_recipes import KzooError
from kzoo_recipes.folders import said_by
from kzoo_recipes.sources import is_hub

from ..backend import backend_option, start_kzoo
from ..files import check_target
from ..installed import first_installed
from ..output import print_json

PEFT = "adapter_config.json"


@click.command()
@click.argument("adapter")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--base",
    metavar="NAME",
    help="The base: hf:ORG/NAME, a folder, or a model of kzoo. The one that ADAPTER "
    "names if left out.",
)
@click.option("--merge", is_flag=True, help="Add a LoRA to the weights it is beside.")
@backend_option
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def rebuild(adapter, file, base, merge, backend, force, as_json):
    """Put an adapter and its base together again.

    ADAPTER is an adapter.safetensors, the folder of a run that has one, or a LoRA of
    PEFT: its folder, or hf:ORG/NAME of the hub. FILE is the .keras file to write. Exits
    with 2 if the base is not the one that ADAPTER was trained beside.
    """
    if file.suffix != ".keras":
        raise click.UsageError(f"{file}: a model's file ends in .keras.")
    check_target(file, force)
    of_peft = is_hub(adapter) or Path(adapter, PEFT).is_file()
    if not of_peft and not Path(adapter).exists():
        raise KzooError(f"{adapter}: there is no such adapter.")
    kzoo = start_kzoo(backend or first_installed())
    if of_peft:
        model = kzoo.from_peft(adapter, base)
    else:
        model = kzoo.load_adapter(adapter, base)
    model = kzoo.interop.merging.plain(model, adapter)[0] if merge else model
    partial = file.with_name(f".{os.getpid()}.{file.name}")
    with said_by(file):
        try:
            model.save(partial)
            partial.replace(file)
        finally:
            partial.unlink(missing_ok=True)
    made = {
        "file": str(file),
        "class": type(model).__name__,
        "parameters": kzoo.models.sizes.count_parameters(model.weights),
        "merged": merge,
    }
    if as_json:
        print_json(made)
        return
    how = ", merged" if merge else ""
    click.echo(f"{file}: a {made['class']}, {made['parameters']:,} parameters{how}")
