"""Starting a process per backend, and saying what became of it."""

import os
import subprocess
import sys

import click
from kzoo_recipes import BACKENDS, KzooError, did_you_mean

from .installed import is_installed, not_installed
from .output import DONE, INTERRUPTED, MISUSED, TERMINATED, one_line


class Broken(Exception):
    """A probe that did not reach its end; the message is its last sentence.

    Attributes:
        printed: str. What it had printed on stdout until then.
    """

    def __init__(self, sentence, printed=""):
        super().__init__(sentence)
        self.printed = printed


def run_probe(name, backend, device, *arguments, seconds=None):
    """Run a probe to its end, in silence.

    Args:
        name: str. What it probes, a name in `kzoo_cli.probe`.
        backend: str. The backend to run on.
        device: str. The device to run on, as `--device` takes it.
        arguments: what the probe takes further.
        seconds: float. How long it may take; `None` waits for ever.

    Returns:
        What it printed on stdout.

    Raises:
        KzooError: if the recipe, its data or the device cannot be used.
        Broken: if it failed in another way.
    """
    # -P: the working directory is where the user keeps data, not where kzoo lies.
    command = [sys.executable, "-P", "-m", "kzoo_cli.probe", name, backend, device]
    try:
        done = subprocess.run(
            [*command, *map(str, arguments)],
            env={**os.environ, "KERAS_BACKEND": backend},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as error:
        printed = (error.stdout or b"").decode("utf-8", "replace")
        printed = printed[: printed.rfind("\n") + 1]
        raise Broken(f"it was stopped after {seconds:g} s.", printed) from None
    if done.returncode == DONE:
        return done.stdout
    if os.environ.get("KZOO_TRACEBACK") == "1":
        click.echo(done.stderr, err=True, nl=False)
    sentence = last_sentence(done.stderr)
    if done.returncode == MISUSED:
        raise KzooError(sentence)
    if done.returncode in (INTERRUPTED, TERMINATED):
        raise KeyboardInterrupt
    if done.returncode < 0:
        sentence = f"it was killed by signal {-done.returncode}. {sentence}"
    raise Broken(sentence.strip(), done.stdout)


def last_sentence(text):
    """The error that a process ended with."""
    lines = [one_line(line) for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("Error: ")]
    return next(reversed(errors or lines), "").removeprefix("Error: ")


class BackendsType(click.ParamType):
    """`jax,torch` as a list of installed backends."""

    name = "backends"

    def convert(self, value, param, ctx):
        if isinstance(value, list):
            return value
        names = [name.strip() for name in value.split(",")]
        for name in names:
            if name not in BACKENDS:
                hint = did_you_mean(name, BACKENDS)
                self.fail(f'there is no backend "{name}"{hint}', param, ctx)
        return list(dict.fromkeys(names))


backends_option = click.option(
    "--backends",
    type=BackendsType(),
    metavar="NAME,…",
    help="Backends to look at, as in jax,torch; all that are installed unless given.",
)


def check_installed(backends):
    """Raise a `KzooError` unless every backend is installed."""
    for name in backends:
        if not is_installed(name):
            raise not_installed(name)
