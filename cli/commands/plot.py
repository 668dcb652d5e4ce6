"""`kzoo plot KIND`."""

import click

from ..group import LazyCommands

KINDS = (
    *("attention", "positions", "history", "confusion", "calibration", "lengths"),
    "complexity",
)


@click.group(cls=LazyCommands, names=KINDS, package="kzoo_cli.plots", noun="plot")
def plot():
    """Draw what a model, a run or a file of rows is like.

    Into the terminal; with --output into a .png, .svg or .pdf, for which
    `pip install "kzoo[plots]"` brings Matplotlib; with --json as the numbers behind it.
    """
