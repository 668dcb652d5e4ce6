"""`kzoo plot lengths WHAT`."""

import itertools

import click
from kzoo_recipes import KzooError, load
from kzoo_recipes.loader import names

from ..backend import backend_option, kzoo_without_keras, start_kzoo
from ..installed import first_installed
from ..options import override_option
from ..output import screen_width
from ..runs import locate
from .delivery import with_delivery
from .rows import of_model, of_recipe
from .shading import bars

BINS = 16  # in the terminal


@click.command()
@click.argument("what")
@click.option(
    "--data",
    metavar="FILE",
    help="Of a model: a file of rows, whose texts are measured.",
)
@click.option(
    "--text",
    metavar="COLUMN",
    help="Column of the texts in --data, by name or number.",
)
@override_option
@backend_option
@with_delivery
def lengths(what, data, text, overrides, backend, delivery):
    """Draw how long texts are in tokens, and where they are cut.

    WHAT is a recipe, whose splits are measured with the tokenizer that it would have,
    and no framework is started; or, with --data, a run's folder, a .keras file or
    zoo:NAME.
    """
    delivery.check()
    is_recipe = what.endswith(".toml") or what in names()
    _check(what, is_recipe, data, text, overrides)
    if is_recipe:
        recipe = load(what, overrides)
        with kzoo_without_keras():
            _deliver(of_recipe(recipe), what, delivery)
        return
    path = locate(what)
    kzoo = start_kzoo(backend or first_installed())
    texts, tokenizer = of_model(kzoo.load_model(path), path, data, text)
    _deliver((texts, tokenizer), f"{data} for {what}", delivery)


def _check(what, is_recipe, data, text, overrides):
    if is_recipe and data is not None:
        raise click.UsageError(
            "--data is of a model; a recipe takes --set data.train=FILE."
        )
    if not is_recipe and data is None:
        raise KzooError(f"{what} is no recipe; of a model, name rows with --data FILE.")
    if not is_recipe and overrides:
        raise click.UsageError("--set changes a recipe; a model has none to change.")
    if text is not None and data is None:
        raise click.UsageError("--text says how the rows of --data are read.")


def _deliver(measured, what, delivery):
    from kzoo.plots import lengths as ask
    from kzoo.plots import lengths_figure

    texts, tokenizer = measured
    panels = {
        name: ask(splits, tokenizer, cut) for name, (splits, cut) in texts.items()
    }
    title = f"Lengths: {what}"
    delivery.deliver(
        panels,
        lambda: _lines(panels, title),
        lambda size: lengths_figure(panels, title, size),
        letters=[title],
    )


def _lines(panels, title):
    from kzoo.plots.token_lengths import cut_label, histogram

    lines = [title]
    for what, found in panels.items():
        edges, counts = histogram(found, BINS)
        for name, own in counts.items():
            spans = [
                f"{first:,} to {last - 1:,}" if last - first > 1 else f"{first:,}"
                for first, last in itertools.pairwise(edges)
            ]
            lines += ["", f"{what}, {name}: tokens and texts", ""]
            lines += bars(spans, own.tolist(), screen_width())
        if found["cut"] is not None:
            lines += ["", cut_label(found)]
    return lines
