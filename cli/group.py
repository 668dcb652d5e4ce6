"""The group of commands, each loaded when it is asked for."""

import importlib
import sys

import click
from kzoo_recipes import did_you_mean

from .output import exit_code_of, unread_is_no_error

COMMANDS = (
    *("ls", "show", "cp", "validate", "schema"),
    *("check-data", "train", "resume", "evaluate", "compare", "predict", "verify"),
    *("plot", "bench", "rebuild", "export", "parity", "doctor"),
)


class LazyCommands(click.Group):
    """Imports `PACKAGE.NAME` for the command NAME, when it is asked for.

    Args:
        names: tuple of str, the commands.
        package: str. Where their modules are.
        noun: str. What errors call one of them.
    """

    def __init__(self, *args, names, package, noun="command", **kwargs):
        super().__init__(*args, **kwargs)
        self.names, self.package, self.noun = names, package, noun

    def list_commands(self, ctx):
        return list(self.names)

    def get_command(self, ctx, name):
        if name not in self.names:
            return None
        module = name.replace("-", "_")
        return getattr(importlib.import_module(f"{self.package}.{module}"), module)

    def resolve_command(self, ctx, args):
        if args[0] not in self.names and not args[0].startswith("-"):
            near = did_you_mean(args[0], self.names)
            raise click.UsageError(f'there is no {self.noun} "{args[0]}"{near}', ctx)
        return super().resolve_command(ctx, args)


class LazyGroup(LazyCommands):
    """All commands; they end by our rules."""

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
    names=COMMANDS,
    package="kzoo_cli.commands",
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
