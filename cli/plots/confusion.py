"""`kzoo plot confusion RUN`."""

import click

from ..backend import kzoo_without_keras
from ..output import screen_width
from .delivery import with_delivery
from .evaluations import evaluated, figures_of
from .shading import listed, numbered, table_of_shades


@click.command()
@evaluated
@with_delivery
def confusion(run, delivery, **asked):
    """Draw how often each gold label was predicted as which.

    RUN is a run's folder, a .keras file, zoo:NAME, a recipe's name that has one run in
    saved_models, or a .json file that `kzoo evaluate RUN --json` wrote.
    """
    delivery.check()
    figures = figures_of(run, **asked)
    with kzoo_without_keras():
        from kzoo.plots import confusion as ask
        from kzoo.plots import confusion_figure

        found = ask(figures)
        delivery.deliver(
            found,
            lambda: _lines(found),
            lambda size: confusion_figure(found, size=size),
            letters=[*found["gold"], *found["predicted"]],
        )


def _lines(found):
    shares = []
    for row in found["counts"]:
        total = sum(row) or 1
        shares.append([count / total for count in row])
    gold, predicted = found["gold"], found["predicted"]
    width = screen_width()
    return [
        f"{found['run']} on {found['source']}",
        "rows are gold labels, shades shares of a row; columns, the predicted ones:",
        *listed(predicted, width),
        "",
        *table_of_shades(
            shares, numbered(gold), range(len(predicted)), width, most=1.0
        ),
    ]
