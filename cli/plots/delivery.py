"""Where a plot goes: into the terminal, into a file, or as JSON."""

import re
from dataclasses import dataclass
from pathlib import Path

import click
from kzoo_recipes import KzooError

from ..backend import kzoo_without_keras
from ..files import check_target, written_whole
from ..output import note, print_json

FIGURES = (".png", ".svg", ".pdf")
PAGE = ".html"


class SizeType(click.ParamType):
    """`8x5`: inches of width and height."""

    name = "size"

    def convert(self, value, param, ctx):
        if isinstance(value, tuple):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d+)?)[x×](\d+(?:\.\d+)?)", value.strip())
        sides = tuple(map(float, found.groups())) if found else ()
        if not sides or not all(1 <= side <= 100 for side in sides):
            self.fail(
                f"'{value}' is no WxH in inches from 1 to 100, as 8x5.", param, ctx
            )
        return sides


def delivery_options(command):
    """--output, --force, --size, --dpi and --json, collected as `Delivery`."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the numbers."),
        click.option(
            "--dpi",
            type=click.IntRange(20, 1200),
            default=150,
            show_default=True,
            help="Dots per inch of a .png.",
        ),
        click.option(
            "--size",
            type=SizeType(),
            metavar="WxH",
            help="Inches of the figure, as 8x5; found if left out.",
        ),
        click.option("--force", is_flag=True, help="Replace a file that is there."),
        click.option(
            "--output",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Write a .png, .svg or .pdf, whatever the ending says.",
        ),
    ):
        command = option(command)
    return command


@dataclass(frozen=True)
class Delivery:
    """What was asked of a plot.

    Attributes:
        output: `Path`, or `None` for the terminal.
        force: bool. Whether a file that is there is replaced.
        size: pair of float, inches, or `None`.
        dpi: int.
        as_json: bool. Whether the numbers are printed.
    """

    output: Path | None
    force: bool
    size: tuple | None
    dpi: int
    as_json: bool

    @property
    def is_page(self):
        return self.output is not None and self.output.suffix.lower() == PAGE

    def check(self, pages=False):
        """Refuse, before any work, what could not be written.

        Args:
            pages: bool. Whether this plot can be a page, too.

        Raises:
            KzooError: if there is no such kind of file, it is there already, or
                Matplotlib is not installed.
            click.UsageError: if a size is given and no figure is drawn.
        """
        if self.output is None or self.is_page:
            if self.size is not None:
                raise click.UsageError(
                    "--size is of a figure; name one with --output, as plot.png."
                )
            if self.output is None:
                return
        kinds = (*FIGURES, PAGE) if pages else FIGURES
        if self.output.suffix.lower() not in kinds:
            said = f"{', '.join(kinds[:-1])} or {kinds[-1]}"
            raise KzooError(f"{self.output} ends in none of {said}; name such a file.")
        check_target(self.output, self.force)
        if not self.is_page:
            with kzoo_without_keras():
                from kzoo.plots.canvas import check_matplotlib

                check_matplotlib()

    def deliver(self, data, lines, figure, page=None, letters=()):
        """Print or write a plot.

        Args:
            data: what JSON holds: the numbers that are drawn.
            lines: function that gives the lines of a terminal, list of str.
            figure: function from a size, or `None`, to a figure.
            page: function that gives the page, str.
            letters: list of str, what the figure writes, to say which it cannot.
        """
        if self.output is not None and self.is_page:
            with written_whole(self.output) as file:
                file.write(page())
        elif self.output is not None:
            self._write(figure, letters)
        if self.as_json:
            print_json(data)
        elif self.output is None:
            for line in lines():
                click.echo(line)
        if self.output is not None:
            note(f"Wrote {self.output}")

    def _write(self, figure, letters):
        from kzoo.plots.canvas import file_of, fonts_for

        drawn = file_of(figure(self.size), self.output.suffix.lower(), self.dpi)
        with written_whole(self.output, binary=True) as file:
            file.write(drawn)
        _, lacking = fonts_for(letters)
        if lacking:
            shown = lacking if len(lacking) <= 20 else lacking[:20] + "…"
            note(
                f"Note: no font of this machine has {shown}, which are boxes in the "
                "figure; install one that has, such as Noto Sans."
            )


def with_delivery(function):
    """Let a command take the options as one argument, `delivery`."""
    import functools

    @delivery_options
    @functools.wraps(function)
    def command(*args, output, force, size, dpi, as_json, **kwargs):
        delivery = Delivery(output, force, size, dpi, as_json)
        return function(*args, delivery=delivery, **kwargs)

    return command
