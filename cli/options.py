"""Options that several commands share."""

import click

override_option = click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a key, as in training.epochs=3; repeat for more. Strings need no "
    "quotes. Files are looked for in the working directory; data.train takes the "
    "place of the recipe's data.source, and the reverse.",
)


def layout_options(command):
    """--format and --encoding, for commands that read a file of rows."""
    formats = click.Choice(("csv", "tsv", "jsonl", "parquet"))
    for option in (
        click.option("--encoding", help="Encoding of the file, such as latin-1."),
        click.option(
            "--format", type=formats, help="Format of the file, if not by its ending."
        ),
    ):
        command = option(command)
    return command
