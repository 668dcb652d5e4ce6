"""`kzoo export MODEL DIR`."""

from pathlib import Path

import click
from kzoo_recipes import recipe_beside
from kzoo_recipes.folders import check_free
from kzoo_recipes.wording import folded

from ..backend import backend_option, start_kzoo
from ..installed import first_installed
from ..output import note, print_json
from ..runs import locate

FORMATS = ("hugging-face", "keras-hub", "peft")


@click.command()
@click.argument("model")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    show_default=True,
    help="Whose format DIR is to have.",
)
@click.option(
    "--family",
    metavar="NAME",
    help="Family of the exported model, such as bert. Found if left out.",
)
@click.option(
    "--base",
    metavar="NAME",
    help="Of peft: what MODEL was trained beside. The run's if left out.",
)
@backend_option
@click.option("--force", is_flag=True, help="Replace DIR if it is there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def export(model, folder, kind, family, base, backend, force, as_json):
    """Write a saved model into DIR as another library reads it.

    MODEL is a run's folder, a .keras file, zoo:NAME, or a recipe's name that has one
    run in saved_models. Of hugging-face, AutoModelFor….from_pretrained(DIR) then gives
    the same logits, tags and tokens; of keras-hub, from_preset(DIR) the same outputs;
    both have a LoRA merged. Of peft, DIR holds the LoRA alone, for PeftModel to put
    beside the same base. Exits with 2 if no class of the library does.
    """
    if family is not None and kind != "hugging-face":
        raise click.UsageError(f"--family is one of hugging-face's; {kind} has none.")
    if base is not None and kind != "peft":
        raise click.UsageError(f"--base is one of peft's; {kind} has none.")
    check_free(folder, force)
    model = locate(model)
    if kind == "peft" and base is None:
        base = _base_of(model)
    kzoo = start_kzoo(backend or first_installed())
    model = kzoo.load_model(model)
    if kind == "peft":
        made = kzoo.export_peft(model, folder, base, force)
    elif kind == "keras-hub":
        made = kzoo.export_keras_hub(model, folder, force)
    else:
        made = kzoo.export_hugging_face(model, folder, family, force)
    if as_json:
        print_json(made)
        return
    for sentence in made["notes"]:
        note(folded(f"Note: {sentence}."))
    said = f"{made['folder']}: {made['architecture']}, {', '.join(made['files'])}"
    click.echo(folded(said))


def _base_of(model):
    """What the recipe of a run names as the checkpoint that it began with."""
    recipe = recipe_beside(model)
    base = None if recipe is None else recipe.model.pretrained
    if base is None:
        raise click.UsageError(
            f"no recipe beside {model} names its base: name it with --base."
        )
    return base
