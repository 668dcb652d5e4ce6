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


@contextlib.contextmanager
def written_whole(path):
    """Open a text file that takes the place of `path` once the block is done.

    If the block fails, nothing of it stays, and what was there before is untouched. A
    device or a pipe, such as /dev/null, is written to as it is.

    Raises:
        KzooError: if it cannot be written.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="") as file:
            yield file
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        file = partial.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise KzooError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise KzooError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        partial.unlink(missing_ok=True)
