"""`kzoo plot complexity [FILE]`."""

import dataclasses
from pathlib import Path

import click

from ..backend import framework_option, kzoo_without_keras
from ..installed import first_installed, is_installed, not_installed
from ..output import note, screen_width
from .delivery import with_delivery
from .evaluations import read_json
from .shading import curves


@click.command()
@click.argument(
    "measured", metavar="[FILE]", required=False, type=click.Path(path_type=Path)
)
@framework_option(
    "Framework to measure, without FILE; the first installed unless given."
)
@with_delivery
def complexity(measured, backend, delivery):
    """Draw what each attention kernel costs against the length of the text.

    FILE is what `kzoo bench attention --json` printed; without it, the same is measured
    now, which takes minutes. Time and memory, with the powers of the length that fit.
    """
    delivery.check()
    told = None
    if measured is not None:
        told = read_json(measured, "kzoo bench attention --json")
    elif backend is not None and not is_installed(backend):
        raise not_installed(backend)
    with kzoo_without_keras():
        from kzoo.plots import complexity as ask
        from kzoo.plots import complexity_figure

        found = ask(_measured(backend) if told is None else told)
        delivery.deliver(
            found,
            lambda: _lines(found),
            lambda size: complexity_figure(found, size=size),
            letters=[found["setting"], *found["kernels"]],
        )


def _measured(backend):
    from kzoo.bench.attention import measure

    costs = measure(backend=backend or first_installed(), note=note)
    return {**dataclasses.asdict(costs), "exponents": costs.exponents}


def _lines(found):
    from kzoo.plots.costs import MEASURES, fitted

    lines = [found["setting"]]
    for name, (named, scale, place) in MEASURES.items():
        drawn = {}
        for kernel, own in found["kernels"].items():
            values = [value and value * scale for value in own[name]]
            label = kernel + fitted(own["exponents"][place])
            drawn[label] = (own["length"], values)
        size = screen_width(), 16
        lines += ["", *curves(drawn, *size, "length (tokens)", named, True)]
    return lines
