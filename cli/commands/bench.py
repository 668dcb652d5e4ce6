"""`kzoo bench attention`."""

import dataclasses

import click

from ..backend import framework_option, kzoo_without_keras
from ..bench_report import print_costs
from ..installed import first_installed, is_installed, not_installed
from ..output import note, print_json


class Numbers(click.ParamType):
    """`512,1024` as a list of numbers of tokens."""

    name = "lengths"

    def convert(self, value, param, ctx):
        if isinstance(value, list):
            return value
        try:
            numbers = [int(part) for part in value.split(",")]
        except ValueError:
            numbers = [0]
        if min(numbers) < 1 or max(numbers) > 1 << 20:
            self.fail(
                f"'{value}' is no list of numbers from 1 to {1 << 20}.", param, ctx
            )
        return numbers


@click.group()
def bench():
    """Measure what parts of kzoo cost on this machine."""


@bench.command()
@framework_option("Framework to measure; the first installed unless given.")
@click.option(
    "--lengths",
    type=Numbers(),
    default="512,1024,2048,4096",
    show_default=True,
    metavar="N,…",
    help="Tokens of the texts.",
)
@click.option(
    "--kernels",
    metavar="NAME,…",
    help="Kernels to measure, as in dense,linear; all unless given.",
)
@click.option(
    "--batch",
    type=click.IntRange(1, 4096),
    default=1,
    show_default=True,
    help="Texts at a time.",
)
@click.option(
    "--heads",
    type=click.IntRange(1, 256),
    default=4,
    show_default=True,
    help="Heads of attention.",
)
@click.option(
    "--head-dim",
    type=click.IntRange(1, 1024),
    default=64,
    show_default=True,
    help="Numbers of a head.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 100),
    default=3,
    show_default=True,
    help="How often each is timed; the median counts.",
)
@click.option(
    "--training/--forward",
    default=False,
    help="Whether to make gradients, too; only forward unless given.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def attention(backend, kernels, as_json, **asked):
    """Measure time and memory of every kernel of attention against length.

    Each is what `[model.encoder.attention] kernel` chooses; dense is what attention is
    without one. Memory is what a call holds at its peak besides what it is given, in a
    fresh process for each kernel and length; times are medians of rounds that take
    every kernel in turn. The last rows say how either grows: ^1 in proportion to the
    length, ^2 with its square.
    """
    if backend is not None and not is_installed(backend):
        raise not_installed(backend)
    names = kernels and [name.strip() for name in kernels.split(",")]
    with kzoo_without_keras():
        from kzoo.bench.attention import measure

        costs = measure(names, backend=backend or first_installed(), note=note, **asked)
        if as_json:
            print_json({**dataclasses.asdict(costs), "exponents": costs.exponents})
        else:
            print_costs(costs)
