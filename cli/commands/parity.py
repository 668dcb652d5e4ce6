"""`kzoo parity RECIPE`."""

import json
from itertools import combinations, product
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from kzoo_recipes import KzooError, load, to_toml

from ..at_once import look_for_files
from ..device import AUTO, DEVICE
from ..installed import installed
from ..options import override_option
from ..output import FAILED, complain, note, print_json
from ..parity_table import print_parity
from ..probing import Broken, backends_option, check_installed, run_probe

STEPS = 20


@click.command()
@click.argument("recipe")
@backends_option
@click.option(
    "--device",
    "devices",
    type=DEVICE,
    multiple=True,
    metavar="[auto|cpu|gpu:N]",
    help="Device to compute on; repeat it to compare devices, too.",
)
@click.option(
    "--steps",
    type=click.IntRange(1, 1000),
    default=STEPS,
    show_default=True,
    help="Training steps to compare.",
)
@override_option
@click.option("--layers", is_flag=True, help="Show every layer and every weight.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, every number in it.")
@click.pass_context
def parity(ctx, recipe, backends, devices, steps, overrides, layers, as_json):
    """Compare what backends compute of a recipe, on this machine.

    RECIPE is a shipped name or a .toml file. A few of its own rows go through its
    model on each backend: every layer, logits, gradients, training steps with dropout,
    and predicted labels. Exits with 0 if all agree within kzoo's tolerances, with 1 if
    they do not.
    """
    recipe = load(recipe, overrides)
    look_for_files(recipe)
    check_installed(backends or ())
    probes = list(product(backends or installed(), dict.fromkeys(devices or (AUTO,))))
    if len(probes) < 2:
        found = ", ".join(" ".join(probe) for probe in probes) or "none"
        raise KzooError(
            f"parity compares backends or devices, and there is one: {found}; "
            'name two, or `pip install "kzoo[all]"`.'
        )
    names = [name if len(devices) < 2 else f"{name} {at}" for name, at in probes]
    with TemporaryDirectory(prefix="kzoo-parity-") as folder:
        folder = Path(folder)
        folder.joinpath("recipe.toml").write_text(to_toml(recipe), encoding="utf-8")
        for number, (name, probe) in enumerate(zip(names, probes, strict=True)):
            note(f"{name}: computing ({number + 1} of {len(probes)})")
            try:
                run_probe("parity", *probe, folder, number, steps)
            except Broken as error:
                complain(f"{name}: {error}")
                ctx.exit(FAILED)
            note(f"{name}: done in {_read(folder, number)['seconds']:.0f} s")
        facts = [{"name": n, **_read(folder, i)} for i, n in enumerate(names)]
        pairs = [
            {"between": [names[i], names[j]], **_read(folder, f"{i}-{j}")}
            for i, j in combinations(range(len(names)), 2)
        ]
    agree = all(pair["agree"] for pair in pairs)
    if as_json:
        title = recipe.name or recipe.task
        print_json({"recipe": title, "agree": agree, "probes": facts, "pairs": pairs})
    else:
        print_parity(recipe.name or recipe.task, facts, pairs, layers)
    if not agree:
        ctx.exit(FAILED)


def _read(folder, name):
    return json.loads((folder / f"{name}.json").read_text("utf-8"))
