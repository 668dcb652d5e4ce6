"""The folder of a run that goes on or was interrupted: `.jax.running` beside `jax`."""

import contextlib
import os
import shutil

from kzoo_recipes import KzooError, is_unfinished, running_folder, to_toml
from kzoo_recipes.folders import replace_folder, said_by, sync_tree, write_whole

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
        return is_unfinished(self.folder)

    @property
    def checkpoints(self):
        return self.path / "checkpoints"

    @property
    def replaces(self):
        """Whether it may take the place of a complete run, as `--force` said."""
        return (self.path / REPLACES).exists()

    @property
    def reopened_at(self):
        """The step at which it was complete before; `None` if it was not."""
        try:
            return int((self.path / REPLACES).read_text("utf-8"))
        except (OSError, ValueError):
            return None

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
            if not self._is_lock(handle):  # Its holder moved it before it let go.
                raise KzooError(changed_hands(self.folder))
            try:
                yield self
            except BaseException:
                if not self.exists or not any(self.checkpoints.glob("step-*")):
                    shutil.rmtree(self.path, ignore_errors=True)
                    _remove_empty(made)
                raise
        finally:
            os.close(handle)  # Which unlocks it, as the end of a process does.

    def _is_lock(self, handle):
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self.path / LOCK))
        except OSError:
            return False

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
        self._empty()
        if replaces:
            (self.path / REPLACES).touch()
        self.write_recipe(recipe)

    def _empty(self):
        (self.path / "recipe.toml").unlink(missing_ok=True)  # Now it is no run.
        for path in self.path.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != LOCK:
                path.unlink()

    def write_recipe(self, recipe):
        with said_by(self.path / "recipe.toml"):
            write_whole(self.path / "recipe.toml", to_toml(recipe))

    def reopen(self, step):
        """Go on from a copy of the complete run, which stays until the new one is.

        The copy is a run once `write_recipe` gave it a recipe; before, it is nothing.

        Args:
            step: int. Where the complete run ended.
        """
        with said_by(self.path):
            self._empty()
            (self.path / REPLACES).write_text(str(step), encoding="utf-8")
            for path in self.folder.iterdir():
                if path.name not in (LOCK, REPLACES, "recipe.toml"):
                    copy = shutil.copytree if path.is_dir() else shutil.copy2
                    copy(path, self.path / path.name)

    def complete(self):
        """Give the folder its own name, once all of it is on the disk.

        Raises:
            KzooError: if there is one by now that it may not replace.
        """
        with said_by(self.folder):
            sync_tree(self.path)
            try:
                replace_folder(self.path, self.folder, self.replaces)
            finally:
                if not self.path.exists():  # A signal may come after the rename.
                    for name in (LOCK, REPLACES):
                        (self.folder / name).unlink(missing_ok=True)


def changed_hands(folder):
    """What to say if a run is not what it was before its lock was taken."""
    return (
        f"{folder} was trained by another process in the meantime: look at what it is "
        "now, and call again if there is more to do."
    )


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
