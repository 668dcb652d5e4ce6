"""Files that are complete or absent: written beside, then renamed."""

import contextlib
import os
from pathlib import Path

from kzoo_recipes import KzooError


def check_target(path, force):
    """Refuse, before any work, a file that could not be written.

    Raises:
        KzooError: if it is there and `force` is not set, or its folder is not.
    """
    path = Path(path)
    if path.is_dir():
        raise KzooError(f"{path} is a folder; name a file.")
    if path.exists() and not force:
        raise KzooError(f"{path} is there already; --force replaces it.")
    if not path.absolute().parent.is_dir():
        raise KzooError(f"there is no folder {path.parent} to write to.")


def check_apart(output, page, option="--output"):
    """Refuse one file for the answers and for the page; a device takes both.

    Args:
        output, page: `Path`, or `None`.
        option: str. What names `output`; `--html` names the page.

    Raises:
        KzooError: if both are one file.
    """
    if None in (output, page) or output.resolve() != page.resolve():
        return
    if not output.exists() or output.is_file():
        raise KzooError(
            f"{option} and --html both name {output}; give each a file of its own."
        )


@contextlib.contextmanager
def written_whole(path, binary=False):
    """Open a file that takes the place of `path` once the block is done.

    It takes text, or bytes if it is `binary`.

    If the block fails, nothing of it stays, and what was there before is untouched. A
    device or a pipe, such as /dev/null, is written to as it is.

    Raises:
        KzooError: if it cannot be written.
    """
    path = Path(path)
    how = {"mode": "w", "encoding": "utf-8", "newline": ""}
    how = {"mode": "wb"} if binary else how
    if path.exists() and not path.is_file():
        with _saying(path), path.open(**how) as file:
            yield file
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    with _saying(path):
        file = partial.open(**how)
        try:
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


@contextlib.contextmanager
def _saying(path):
    """Name the file that an error of the system is about.

    That whoever reads stdout has gone is not about it.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        why = error.strerror or error
        raise KzooError(f"{path} cannot be written: {why}.") from error
