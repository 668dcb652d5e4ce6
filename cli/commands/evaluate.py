"""`kzoo evaluate RUN`."""

from pathlib import Path

import click

from ..backend import backend_option, start_kzoo
from ..options import layout_options
from ..output import print_json, print_metrics
from ..runs import backend_for, locate


@click.command()
@click.argument("run")
@backend_option
@click.option(
    "--split",
    type=click.Choice(("train", "dev", "test")),
    default="test",
    show_default=True,
    help="Rows of the run's own data to use.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A .csv, .tsv, .jsonl or .parquet file to use instead.",
)
@click.option("--text", metavar="COLUMN", help="Column of the texts in --data.")
@click.option("--label", metavar="COLUMN", help="Column of the labels in --data.")
@layout_options
@click.option("--json", "as_json", is_flag=True, help="Print the metrics as JSON.")
def evaluate(run, backend, split, data, text, label, format, encoding, as_json):
    """Measure a saved model.

    RUN is a run's folder, a .keras file or zoo:NAME. Runs on --backend, else on
    KERAS_BACKEND, else on the backend of the run.
    """
    named = {"text": text, "label": label, "format": format, "encoding": encoding}
    layout = {key: value for key, value in named.items() if value is not None}
    if layout and not data:
        options = " and ".join(f"--{key}" for key in layout)
        raise click.UsageError(f"{options} would say how the rows of --data are read.")
    run = locate(run)
    kzoo = start_kzoo(backend_for(run, backend))
    metrics = kzoo.evaluate(run, split=split, data=data, **layout)
    if as_json:
        print_json(metrics)
    else:
        print_metrics(metrics)
