"""`kzoo doctor`."""

import click
from kzoo_recipes import BACKENDS

from ..device import AUTO, DEVICE
from ..diagnosis import diagnosed
from ..doctor_report import print_report
from ..output import FAILED, print_json
from ..probing import backends_option


@click.command()
@backends_option
@click.option(
    "--device",
    type=DEVICE,
    default=AUTO,
    show_default=True,
    metavar="[auto|cpu|gpu:N]",
    help="Device to look at.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(ctx, backends, device, as_json):
    """Look at this machine and what is installed on it.

    Versions beside the tested ones, devices, precisions, threads, folders, and small
    checks of each backend, in a process of its own: what kzoo builds on, and the traps
    that it works around. Exits with 1 if something would stop training.
    """
    found = diagnosed(backends or sorted(BACKENDS), device, asked=bool(backends))
    if as_json:
        print_json(found)
    else:
        print_report(found)
    if found["problems"]:
        ctx.exit(FAILED)
