"""Options that several commands share."""

import glob
from pathlib import Path

import click
from click.core import ParameterSource
from kzoo_recipes.sources import is_hub

SCHEMES = ("iob2", "bio", "iob1", "bioes", "bilou", "io", "plain")

override_option = click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a key, as in training.epochs=3; repeat for more. Strings need no "
    "quotes. Files are looked for in the working directory; data.train takes the "
    "place of the recipe's data.source, and the reverse.",
)


def runs_option(help):
    """`--output`: the folder that holds runs, whatever the command does in it."""
    return click.option(
        "--output",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("saved_models"),
        show_default=True,
        help=help,
    )


def layout_options(command):
    """--format, --delimiter and --encoding, for commands that read files of rows."""
    formats = click.Choice(("csv", "tsv", "jsonl", "parquet", "conll"))
    for option in (
        click.option("--encoding", help="Encoding of the file, such as latin-1."),
        click.option("--delimiter", help="What stands between the fields of CSV."),
        click.option(
            "--format", type=formats, help="Format of the file, if not by its ending."
        ),
    ):
        command = option(command)
    return command


class RowsPath(click.Path):
    """A file that is there; or a pattern of files, or rows of the hub, as they are."""

    def convert(self, value, param, ctx):
        if is_hub(value) or (glob.has_magic(str(value)) and not Path(value).exists()):
            return value
        return super().convert(value, param, ctx)


def rows_options(command):
    """Which rows a model is asked about: --split, or --data and its columns."""
    for option in (
        click.option(
            "--scheme",
            type=click.Choice(SCHEMES, case_sensitive=False),
            callback=lambda ctx, option, name: "iob2" if name == "bio" else name,
            help="What the tags in --data are written in, bio being another name of "
            "iob2; found out if left out.",
        ),
        click.option(
            "--invalid",
            type=click.Choice(("repair", "refuse")),
            help="What becomes of tags in --data that cannot follow each other.",
        ),
        click.option(
            "--spans",
            metavar="COLUMN",
            help="Column of a tagger's entities in --data, beside texts in --text.",
        ),
        click.option(
            "--tags",
            metavar="COLUMN",
            help="Column of a tagger's tags in --data, by name or number.",
        ),
        click.option(
            "--words",
            metavar="COLUMN",
            help="Column of a tagger's words in --data, by name or number.",
        ),
        click.option(
            "--label", metavar="COLUMN", help="Column of the labels in --data."
        ),
        click.option(
            "--label-separator",
            metavar="SIGN",
            help="What stands between the labels of a row in --data, if it has many.",
        ),
        click.option(
            "--references",
            metavar="COLUMN",
            help="Column of further summaries in --data, as good as the first.",
        ),
        click.option(
            "--summary", metavar="COLUMN", help="Column of the summaries in --data."
        ),
        click.option(
            "--text",
            "--document",
            "text",
            metavar="COLUMN",
            help="Column of the texts in --data.",
        ),
        click.option(
            "--image", metavar="COLUMN", help="Column of the pictures in --data."
        ),
        click.option(
            "--data",
            type=RowsPath(path_type=Path, dir_okay=False, exists=True),
            help="A .csv, .tsv, .jsonl or .parquet file to use instead (of a tagger "
            ".conll, .jsonl or .parquet), a pattern of files in quotes, or "
            "hf:ORG/NAME#SPLIT.",
        ),
        click.option(
            "--split",
            type=click.Choice(("train", "dev", "test")),
            default="test",
            show_default=True,
            help="Rows of the run's own data to use.",
        ),
    ):
        command = option(command)
    return command


def told_layout(layout, data):
    """What was said about the file `data`, without what was not.

    Raises:
        click.UsageError: if there is no such file to say it of; or if there is, and
            a split was named beside it.
    """
    split = click.get_current_context().get_parameter_source("split")
    if data is not None and split is ParameterSource.COMMANDLINE:
        raise click.UsageError(
            "--split names rows of the run's own data, and --data other rows; "
            "give one of them."
        )
    keys = dict.fromkeys(("text", "label", *layout))  # In an order that reads well.
    told = {key: layout[key] for key in keys if layout.get(key) is not None}
    if told and data is None:
        names = " and ".join(f"--{key.replace('_', '-')}" for key in told)
        raise click.UsageError(f"{names} would say how the rows of --data are read.")
    return told


def bootstrap_options(command):
    """How many draws make an interval, and which."""
    for option in (
        click.option(
            "--seed",
            type=click.IntRange(0),
            default=0,
            show_default=True,
            help="Seed of the bootstrap.",
        ),
        click.option(
            "--resamples",
            type=click.IntRange(0),
            default=1000,
            show_default=True,
            help="Draws of the bootstrap for 95 % intervals; 0 makes none.",
        ),
    ):
        command = option(command)
    return command
