"""How a finished run is shown."""

import click

from .output import print_json, print_metrics, print_table


def print_result(result, as_json):
    """Print the folder and the metrics of a run."""
    if as_json:
        print_json({"folder": result.folder, "metrics": result.metrics})
    else:
        shown = dict(result.metrics)
        shown.pop("groups", None)  # They were said when it began.
        if shown.get("stopped", "") is None:
            del shown["stopped"]  # Nothing ended it before its last step.
        print_metrics(shown, depth=2)  # Classes are in metrics.json.
        click.echo(f"Saved {result.folder}")


def print_seeds(result, as_json):
    """Print mean and spread over the runs of several seeds."""
    if as_json:
        print_json(
            {
                "file": result.file,
                "seeds": list(result.runs),
                "summary": result.summary,
                "folders": [run.folder for run in result.runs.values()],
            }
        )
        return
    columns = ("mean", "spread", "lowest", "highest")
    rows = [("", *columns)]
    for split, metrics in result.summary.items():
        for name, numbers in metrics.items():
            cells = [_number(numbers[column]) for column in columns]
            rows.append((f"{split} {name}", *cells))
    print_table(rows)
    click.echo(f"Summary of {len(result.runs)} runs: {result.file}")


def _number(value):
    return "-" if value is None else f"{value:.4f}"
