"""How `kzoo bench attention` looks: a table of times, and one of memory."""

import click

from .output import counted, wrapped
from .tables import show_table


def print_costs(costs):
    """Print what kernels cost, and how that grows.

    Args:
        costs: `kzoo.bench.costs.AttentionCosts`.
    """
    what = "with gradients" if costs.training else "forward"
    click.echo(
        wrapped(
            f"attention on {costs.backend} ({costs.device}), {what}: "
            f"{counted(costs.batch, 'text')}, {counted(costs.heads, 'head')} of "
            f"{costs.head_dim}, float32; medians of {counted(costs.rounds, 'round')}"
        )
    )
    exponents = costs.exponents
    for place, title, cell in ((0, "time", _time), (1, "memory", _memory)):
        click.echo()
        rows = [
            [
                kernel,
                *(cell(cost) for cost in costs.of(kernel)),
                _power(exponents[kernel][place]),
            ]
            for kernel in costs.kernels
        ]
        show_table([title, *(f"{n:,}" for n in costs.lengths), "grows"], rows)
    problems = {}
    for cost in costs.costs:
        if cost.problem:
            problems.setdefault((cost.kernel, cost.problem), cost.length)
    if problems:
        click.echo()
    for (kernel, problem), length in problems.items():
        click.echo(wrapped(f"{kernel}, from {length:,} tokens on: {problem}"))


def _time(cost):
    if cost.seconds is None:
        return "–"
    if cost.seconds < 0.9995:
        return f"{cost.seconds * 1e3:.3g} ms"
    return f"{cost.seconds:.3g} s"


def _memory(cost):
    if cost.bytes is None:
        return "–"
    if cost.bytes < 999.5 * 2**20:
        return f"{cost.bytes / 2**20:.3g} MB"
    return f"{cost.bytes / 2**30:.3g} GB"


def _power(exponent):
    return "–" if exponent is None else f"^{exponent:.2f}"
