"""The folder of a run that goes on or was interrupted: `.jax.running` beside `jax`."""

import contextlib
import os
import shutil

from kzoo_recipes import KzooError, running_folder, to_toml

from kzoo.training.folders import replace_folder, said_by, sync_tree, write_whole

LOCK, REPLACES = "lock", "replaces"  # files that a complete run has not


class Unfinished:
    """A run from its first step until it is complete.

    The folder has another name until all of it is there, so that a run folder is
    complete or absent; and it stays when the process dies, so that the run can be
    resumed.

    Args:
        folder: `Path` of the run's folder.
    """

    def __init__(self, folder):
        self.folder, self.path = folder, running_folder(folder)
        self._lock = None

    @property
    def exists(self):
        return self.path.is_dir()

    @property
    def checkpoints(self):
        return self.path / "checkpoints"

    @property
    def replaces(self):
        """Whether it may take the place of a complete run, as `--force` said."""
        return (self.path / REPLACES).exists()

    @contextlib.contextmanager
    def held(self):
        """Make the folder, and keep other processes out of it.

        A block that fails before the first checkpoint leaves nothing behind.

        Raises:
            KzooError: if another process holds it, or it cannot be made.
        """
        made = [path for path in self.path.parents if not path.exists()]
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            _remove_empty(made)
            raise KzooError(
                f"{self.path} cannot be written: {error.strerror}."
            ) from None
        try:
            if not _lock(handle):
                raise KzooError(f"{self.folder} is being trained by another process.")
            try:
                yield self
            except BaseException:
                if not any(self.checkpoints.glob("step-*")):
                    shutil.rmtree(self.path, ignore_errors=True)
                    _remove_empty(made)
                raise
        finally:
            os.close(handle)  # Which unlocks it, as the end of a process does.

    def is_held(self):
        """Whether another process trains it."""
        try:
            handle = os.open(self.path / LOCK, os.O_RDWR)
        except OSError:
            return False
        try:
            return not _lock(handle)
        finally:
            os.close(handle)

    def begin(self, recipe, replaces):
        """Start with an empty folder that says what is trained."""
        for path in self.path.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != LOCK:
                path.unlink()
        if replaces:
            (self.path / REPLACES).touch()
        self.write_recipe(recipe)

    def write_recipe(self, recipe):
        with said_by(self.path / "recipe.toml"):
            write_whole(self.path / "recipe.toml", to_toml(recipe))

    def reopen(self):
        """Go on from a copy of the complete run, which stays until the new one is."""
        with said_by(self.path):
            for path in self.folder.iterdir():
                copy = shutil.copytree if path.is_dir() else shutil.copy2
                copy(path, self.path / path.name)
            (self.path / REPLACES).touch()

    def complete(self):
        """Give the folder its own name, once all of it is on the disk.

        Raises:
            KzooError: if there is one by now that it may not replace.
        """
        replace = self.replaces
        with said_by(self.folder):
            sync_tree(self.path)
            for name in (LOCK, REPLACES):
                (self.path / name).unlink(missing_ok=True)
            try:
                replace_folder(self.path, self.folder, replace)
            except BaseException:
                if replace:
                    (self.path / REPLACES).touch()
                raise


def _remove_empty(folders):
    with contextlib.suppress(OSError):
        for path in folders:
            path.rmdir()


def _lock(handle):
    """Take the lock of a file for as long as it is open; `False` if it is taken."""
    try:
        import fcntl
    except ImportError:  # Windows.
        import msvcrt

        take = lambda: msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        take = lambda: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        take()
    except OSError:
        return False
    return True
