"""What commands print and how they end: one place for errors and exit codes.

0 done, 1 the run failed, 2 usage, recipe or data error, 130 interrupted, 143
terminated. Answers go to stdout, everything else to stderr. A reader that goes away
(`kzoo ls | head -1`) is no error: nothing is said, and the exit code is 141.
"""

import contextlib
import errno
import json
import math
import os
import signal
import sys

import click
from kzoo_recipes import KzooError, Terminated

DONE, FAILED, MISUSED, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143
UNREAD = 141  # as of any program that writes to a closed pipe
ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def exit_code_of(run):
    """Call `run` and return its exit code; say in one sentence what went wrong."""
    _fill_gaps()
    _end_in_order()
    try:
        return run() or DONE
    except click.UsageError as error:
        return _fail(_usage(error), MISUSED)
    except (click.ClickException, KzooError) as error:
        text = error.message if isinstance(error, click.ClickException) else str(error)
        return _fail(text, MISUSED)
    except (click.Abort, KeyboardInterrupt) as error:
        # Click turns an end of input into Abort, too; that one is a failure.
        if isinstance(error.__cause__, EOFError):
            return _unexpected(error.__cause__)
        # A run that was saved says so, and how it goes on.
        cause = error.__cause__ or error
        return _fail(str(cause) or "interrupted.", INTERRUPTED)
    except Terminated as error:
        return _fail(error.text, TERMINATED)
    except MemoryError:
        return _fail(
            "the run needs more memory than there is; lower the sizes of "
            "[model.encoder], [training] batch_size or [data] sequence_length.",
            FAILED,
        )
    except OSError as error:
        text = _about_a_path(error)
        return _fail(text, MISUSED) if text else _unexpected(error)
    except Exception as error:
        return _unexpected(error)


@contextlib.contextmanager
def unread_is_no_error():
    """End with 141, and quietly, where whoever read stdout has gone.

    Click would end with 1; and Python, at its end, would try to write what is left.
    """
    try:
        yield
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        with contextlib.suppress(OSError, ValueError):  # A test's stdout has no number.
            os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        sys.exit(UNREAD)


def _end_in_order():
    """Let SIGTERM unwind the program, so that what is half written is removed."""

    def end(number, frame):
        complain("terminated.")
        sys.exit(TERMINATED)

    with contextlib.suppress(ValueError):  # Only a main thread may; tests have others.
        signal.signal(signal.SIGTERM, end)


def _fill_gaps():
    """Lead streams that were closed (`2>&-`) to nowhere.

    A file would be opened under the free number, and hold what C++ writes to it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def note(text):
    """Say something to the person, not to the program that reads stdout."""
    click.echo(text, err=True)


def complain(text):
    """Print one sentence the way every error looks, wherever it can be printed."""
    with contextlib.suppress(OSError):
        click.echo(f"Error: {text}", err=True)


def print_json(value):
    """Print one line of JSON."""
    click.echo(json_line(value))


def json_line(value):
    """One line of JSON; what JSON cannot say (nan, inf) becomes null."""
    try:
        line = ENCODER.encode(value)
    except (TypeError, ValueError):
        line = ENCODER.encode(_plain(value))
    if not line.isascii():
        for separator in "\x85\u2028\u2029":  # Some readers of lines split at them.
            line = line.replace(separator, f"\\u{ord(separator):04x}")
    return line


def print_table(rows, flexible=-1, file=None):
    """Print rows of strings in columns; cut the `flexible` column to the screen."""
    from rich.cells import cell_len

    rows = [[one_line(cell) for cell in row] for row in rows]
    if not rows:
        return
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    flexible %= len(widths)
    others = sum(widths) - widths[flexible] + 2 * (len(widths) - 1)
    room = max(20, screen_width() - others)
    widths[flexible] = min(widths[flexible], room)
    for row in rows:
        cells = []
        for cell, width in zip(row, widths, strict=True):
            cell = cut(cell, width)
            cells.append(cell + " " * (width - cell_len(cell)))
        click.echo("  ".join(cells).rstrip(), file=file)


def print_described(rows, least=20):
    """Print names and what they are; in a terminal, long lines go on below.

    Args:
        rows: list of pairs of str.
        least: int. Columns that a description has, however narrow the screen is.
    """
    import textwrap

    indent = max((len(name) for name, _ in rows), default=0) + 2
    room = max(least, screen_width() - indent)
    for name, text in rows:
        lines = [one_line(text)]
        if sys.stdout is not None and sys.stdout.isatty():
            lines = textwrap.wrap(lines[0], room, break_on_hyphens=False) or [""]
        for start, line in zip([name] + [""] * len(lines), lines, strict=False):
            click.echo((start.ljust(indent) + line).rstrip())


def print_metrics(metrics, depth=3):
    """Numbers by name, names of `depth` levels joined: `test accuracy  0.912`."""
    print_table(_metric_rows(metrics, (), depth), flexible=0)


def _metric_rows(metrics, path, depth):
    for name, value in metrics.items():
        if isinstance(value, dict):
            if depth > 1:
                yield from _metric_rows(value, (*path, str(name)), depth - 1)
        else:
            yield " ".join((*path, str(name))), _in_words(name, _plain(value))


def _in_words(name, value):
    if value is None:
        return "-"  # There is no such number, as for a share of no rows.
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    if name == "seconds" or abs(value) >= 10:
        return f"{value:,.1f}"
    return f"{value:.4f}"


def one_line(text):
    """`text` on one line, harmless to a terminal: no control characters."""
    text = "".join(c if c >= " " and not "\x7f" <= c < "\xa0" else " " for c in text)
    return " ".join(text.split())


def cut(text, width):
    """`text`, or as much of it as fits into `width` columns, with `…`."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - 1)).rstrip() + "…"


def screen_width():
    """Columns of the terminal; 80 where there is none, unless COLUMNS says so."""
    from shutil import get_terminal_size

    return get_terminal_size().columns


def wrapped(text):
    """`text` in lines that fit the screen, parted at spaces alone."""
    import textwrap

    room = screen_width()
    return textwrap.fill(text, room, break_on_hyphens=False, break_long_words=False)


def counted(number, noun, nouns=None):
    """`1 error`, `1,200 errors`."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def _fail(text, code):
    complain(text)
    return code


def _usage(error):
    text = error.format_message()
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        from .unknown_options import instead

        if meant := instead(error):
            text = f"there is no option {error.option_name}; write {meant}"
    if not text.endswith((".", "?")):
        text += "."
    if error.ctx is None:
        return text
    return f"{text} `{error.ctx.command_path} --help` says more."


def _about_a_path(error):
    """The sentence about a path that leads nowhere or takes no more, or `None`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        where = one_line(str(error.filename or "what the command prints"))
        return f"{where} cannot be written: {error.strerror}."
    if error.errno in (errno.ENAMETOOLONG, errno.ELOOP) and error.filename:
        path = one_line(str(error.filename))
        path = path if len(path) <= 60 else "…" + path[-59:]
        return f"{path}: there can be no such file: {error.strerror}."
    if isinstance(error, FileNotFoundError) and not error.filename:
        try:
            os.getcwd()
        except FileNotFoundError:
            return "the working directory was removed; change to one that is there."
    return None


def _unexpected(error):
    if os.environ.get("KZOO_TRACEBACK") == "1":
        import traceback

        traceback.print_exception(error)
    kind = type(error).__name__
    first, *_ = [*str(error).strip().splitlines(), ""]
    what = f"{kind}: {first[:300].rstrip('.')}" if first else kind
    return _fail(f"the run failed with {what} (KZOO_TRACEBACK=1 shows where).", FAILED)


def _plain(value):
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    number = value.item() if hasattr(value, "item") else value  # NumPy's scalars
    if isinstance(number, float):
        return number if math.isfinite(number) else None
    return number if isinstance(number, int) else str(number)  # A date, for one.
