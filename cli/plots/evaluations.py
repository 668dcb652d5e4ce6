"""What `kzoo plot confusion` and `kzoo plot calibration` draw: an evaluation."""

import json
from pathlib import Path

import click
from kzoo_recipes import KzooError

from ..backend import backend_option, start_kzoo
from ..measuring import errors_name_options
from ..options import layout_options, rows_options, told_layout
from ..runs import backend_for, locate


def evaluated(command):
    """Let a command take a run or a file of figures, and which rows to ask about."""
    for option in (layout_options, rows_options, backend_option):
        command = option(command)
    return click.argument("run")(command)


def figures_of(run, backend, split, data, **others):
    """What `kzoo evaluate` gives of a run, or what it has given.

    Args:
        run: str. A model, or a .json file that `kzoo evaluate --json` wrote.
        backend, split, data, **others: the options of `evaluated`.

    Raises:
        KzooError: if there is no such run, file or rows.
    """
    told = told_layout(others, data)
    if Path(run).suffix == ".json":
        if data is not None or told:
            raise click.UsageError(
                f"{run} holds figures already; --data would be of a model."
            )
        return read_json(Path(run), "kzoo evaluate RUN --json")
    run = locate(run)
    kzoo = start_kzoo(backend_for(run, backend))
    with errors_name_options():
        return kzoo.evaluate(run, split=split, data=data, resamples=0, worst=0, **told)


def read_json(path, command):
    """What a file holds that `command` printed.

    Raises:
        KzooError: if it cannot be read, or is no JSON.
    """
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        raise KzooError(f"{path}: there is no such file.") from None
    except OSError as error:
        raise KzooError(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise KzooError(
            f"{path} is no JSON; name a file of what `{command}` printed."
        ) from None
