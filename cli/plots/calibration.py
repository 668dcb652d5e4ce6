"""`kzoo plot calibration RUN`."""

import click

from ..backend import kzoo_without_keras
from ..output import screen_width
from .delivery import with_delivery
from .evaluations import evaluated, figures_of
from .shading import bars, curves


@click.command()
@evaluated
@with_delivery
def calibration(run, delivery, **asked):
    """Draw whether a classifier is right as often as it believes to be.

    RUN is a run's folder, a .keras file, zoo:NAME, a recipe's name that has one run in
    saved_models, or a .json file that `kzoo evaluate RUN --json` wrote.
    """
    delivery.check()
    figures = figures_of(run, **asked)
    with kzoo_without_keras():
        from kzoo.plots import calibration as ask
        from kzoo.plots import calibration_figure

        found = ask(figures)
        delivery.deliver(
            found,
            lambda: _lines(found),
            lambda size: calibration_figure(found, size=size),
            letters=[found["run"], found["source"]],
        )


def _lines(found):
    filled = [one for one in found["bins"] if one["rows"]]
    believed = [one["confidence"] for one in filled]
    right = [one["accuracy"] for one in filled]
    names = [f"{one['from']:.2f} to {one['to']:.2f}" for one in found["bins"]]
    width = screen_width()
    return [
        f"{found['run']} on {found['source']}: calibration error {found['error']:.4f}",
        "",
        *curves(
            {"measured": (believed, right), "as believed": (believed, believed)},
            width,
            x_name="confidence",
            y_name="accuracy",
        ),
        "",
        "rows by confidence",
        *bars(names, [one["rows"] for one in found["bins"]], width),
    ]
