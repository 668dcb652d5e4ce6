"""Predictions that were measured, row by row, in a file."""

import csv

import click

from .output import json_line

ENDINGS = (".jsonl", ".csv")


def check_ending(path):
    """Refuse, before any work, a file whose ending tells no format.

    Raises:
        click.UsageError: if it is neither .jsonl nor .csv.
    """
    if path.suffix.lower() not in ENDINGS:
        raise click.UsageError(
            f"the ending of {path} does not tell the format; predictions are written "
            f"as {' or '.join(ENDINGS)}."
        )


def write_predictions(path, rows, file):
    """Write rows as `kzoo.evaluate` hands them back.

    Args:
        path: `Path`. Its ending tells the format.
        rows: list of dicts, all with the same keys.
        file: text file, opened without translation of line ends.
    """
    if path.suffix.lower() == ".jsonl":
        for row in rows:
            click.echo(json_line(row), file=file)
        return
    writer = csv.writer(file)
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow(
            cell if isinstance(cell, str) else json_line(cell) for cell in row.values()
        )
