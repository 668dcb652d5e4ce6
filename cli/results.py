"""How a finished run is shown."""

import click

from .output import print_json, print_metrics


def print_result(result, as_json):
    """Print the folder and the metrics of a run."""
    if as_json:
        print_json({"folder": result.folder, "metrics": result.metrics})
    else:
        print_metrics(result.metrics, depth=2)  # Classes are in metrics.json.
        click.echo(f"Saved {result.folder}")
