"""`kzoo plot history RUN…`."""

import click

from ..backend import kzoo_without_keras
from ..output import screen_width
from .delivery import with_delivery
from .shading import curves


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--metrics",
    metavar="NAMES",
    help="What to draw, as loss,learning_rate; if left out, the loss and the first "
    "metric of dev.",
)
@click.option(
    "--by",
    type=click.Choice(("step", "epoch")),
    default="step",
    show_default=True,
    help="What the horizontal axis is.",
)
@with_delivery
def history(runs, metrics, by, delivery):
    """Draw the curves of runs, finished or not.

    RUN is a run's folder, or the name of a recipe that was trained into saved_models,
    or its folder, which stands for all of its runs. No framework is started.
    """
    delivery.check()
    names = None
    if metrics is not None:
        names = [name.strip() for name in metrics.split(",") if name.strip()]
    with kzoo_without_keras():
        from kzoo.plots import history as ask
        from kzoo.plots import history_figure

        found = ask(runs, names)
        delivery.deliver(
            found,
            lambda: _lines(found, by),
            lambda size: history_figure(found, by, size=size),
            letters=[one["run"] for one in found["runs"]],
        )


def _lines(found, by):
    lines = []
    for metric in found["metrics"]:
        drawn = {
            f"{one['run']}, {split}": (curve[by], curve["value"])
            for one in found["runs"]
            for split, curve in one["curves"].get(metric, {}).items()
        }
        lines += [*curves(drawn, screen_width(), x_name=by, y_name=metric), ""]
    return lines[:-1]
