"""Folders that are complete or absent: written beside, synced, then renamed."""

import contextlib
import os
import shutil
from pathlib import Path

from kzoo_recipes.errors import KzooError


def check_free(folder, force=False):
    """Refuse a folder that is there already, before any work.

    Args:
        folder: str or `Path`. It may be there if it is empty.
        force: bool. Whether one that exists may be replaced.

    Raises:
        KzooError: if something is there that may not be replaced.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise KzooError(f"{folder} is a file; name a folder.")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise KzooError(f"{folder} is there already; --force replaces it.")


@contextlib.contextmanager
def written_beside(folder, replace=False):
    """Give a temporary folder that takes the place of `folder` at the end.

    If the block fails, nothing of it stays and what was there before is untouched.

    Args:
        folder: `Path` of the folder to write.
        replace: bool. Whether one that exists may be replaced.

    Raises:
        KzooError: if `folder` exists at the end and may not be replaced.
    """
    partial = folder.with_name(f".{folder.name}.{os.getpid()}.partial")
    made = [path for path in folder.parents if not path.exists()]
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
    except OSError as error:
        raise KzooError(f"{folder} cannot be written: {error.strerror}.") from None
    try:
        yield partial
        sync_tree(partial)
        replace_folder(partial, folder, replace)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        with contextlib.suppress(OSError):
            for path in made:
                path.rmdir()  # Only if it is empty.
        raise


def replace_folder(partial, folder, replace):
    """Rename `partial` to `folder`, which keeps what it was if that fails."""
    if folder.exists() and not replace:
        raise KzooError(f"{folder} appeared in the meantime; it was left as it is.")
    old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    try:
        if folder.exists():
            folder.rename(old)
        partial.rename(folder)
        sync(folder.parent)
    except BaseException:  # A signal, too.
        if old.exists() and not folder.exists():
            old.rename(folder)
        raise
    finally:
        if folder.exists():
            remove(old)


def remove(folder):
    """Remove a folder with all in it, or a link to one without what it links to."""
    if folder.is_symlink():
        folder.unlink()
    else:
        shutil.rmtree(folder, ignore_errors=True)


def write_whole(path, text):
    """Write a text file that is never seen, or left, half written."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(text, encoding="utf-8")
    sync(new)
    os.replace(new, path)


@contextlib.contextmanager
def said_by(path):
    """Turn what the disk refuses into one sentence about `path`."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error).split("\n")[0]
        raise KzooError(f"{path} cannot be written: {reason}.") from None


def sync_tree(folder):
    """Make the system write a folder and all in it to the disk."""
    for path in [*folder.rglob("*"), folder]:
        sync(path)


def sync(path):
    if path.is_dir() and os.name == "nt":
        return  # Windows does not open folders.
    handle = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
