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
