"""The group of commands, each loaded when it is asked for."""

import importlib
import sys

import click
from kzoo_recipes import did_you_mean

from .output import exit_code_of, unread_is_no_error

COMMANDS = (
    *("ls", "show", "cp", "validate", "schema"),
    *("check-data", "train", "resume", "evaluate", "compare", "predict", "verify"),
    *("rebuild", "export", "parity", "doctor"),
)


class LazyGroup(click.Group):
    """Imports `kzoo_cli.commands.NAME` for the command NAME, and ends by our rules."""

    def list_commands(self, ctx):
        return list(COMMANDS)

    def get_command(self, ctx, name):
        if name not in COMMANDS:
            return None
        module = name.replace("-", "_")
        return getattr(importlib.import_module(f"kzoo_cli.commands.{module}"), module)

    def resolve_command(self, ctx, args):
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(
                f'there is no command "{args[0]}"{did_you_mean(args[0], COMMANDS)}', ctx
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx):
        with unread_is_no_error():
            return super().invoke(ctx)

    def main(self, *args, **kwargs):
        kwargs["standalone_mode"] = False
        kwargs["prog_name"] = "kzoo"
        sys.exit(exit_code_of(lambda: super(LazyGroup, self).main(*args, **kwargs)))


def print_version(ctx, parameter, wanted):
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"kzoo {version('kzoo')}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 the run failed, 2 usage, recipe or data error, "
    "130 interrupted, 143 terminated; `kzoo resume` continues.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_version,
    help="Show the version and exit.",
)
@click.pass_context
def group(ctx):
    """Train and use transformers in Keras 3: one recipe, the same numbers on
    TensorFlow, PyTorch and JAX.

    Start with `kzoo ls` and `kzoo train text_classifier`.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
