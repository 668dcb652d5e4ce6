"""The Python files that are installed here, package by package. None is imported."""

import os
import site
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

from kzoo_recipes import KzooError, nearest
from kzoo_recipes.sources import DOCSTRINGS

STDLIB = "stdlib"
LARGEST = 2**20  # bytes; what is larger was written by a program
# Tests, and copies of what other packages have, describe little that is not elsewhere.
PASSED_OVER = frozenset(
    (
        *("test", "tests", "testing", "_testing", "conformance"),
        *("_vendor", "_vendored", "vendor", "vendored", "_vendored_packages"),
        *("third_party", "extern", "externals", "_external", "_deps"),
        *("site-packages", "dist-packages", "lib-dynload", "node_modules"),
        *("idlelib", "lib2to3", "pydoc_data", "turtledemo", "__pycache__"),
    )
)
OWN = ("kzoo", "kzoo_cli", "kzoo_recipes")


class Package(NamedTuple):
    """What one imports by one name.

    Attributes:
        name: str.
        group: str. `"stdlib"` for what comes with Python, else the name.
        root: `Path` of the folder that it lies in.
        files: list of `File`, sorted by path.
        skipped: dict from a reason to how many files were passed over for it.
    """

    name: str
    group: str
    root: Path
    files: list
    skipped: dict


class File(NamedTuple):
    """A Python file.

    Attributes:
        path: str, below the package's root, with `/` between folders.
        size: int, bytes.
        changed: int, nanoseconds.
    """

    path: str
    size: int
    changed: int


def roots_here():
    """Where packages lie: pairs of a folder and whether it is the standard library."""
    stdlib = sysconfig.get_path("stdlib")
    paths = [*sys.path, *site.getsitepackages()]
    folders = dict.fromkeys(os.path.realpath(path) for path in paths if path)
    named = ("site-packages", "dist-packages")
    others = [path for path in folders if os.path.basename(path) in named]
    found = [(stdlib, True), *((path, False) for path in others)]
    return [(Path(path), own) for path, own in found if os.path.isdir(path)]


def packages_in(roots, names=None):
    """The packages of some folders, sorted by name; the first of a name wins.

    Args:
        roots: list of pairs as `roots_here` gives them.
        names: list of str. Packages to look at; `"stdlib"` is all that comes with
            Python. `None` is whatever is there.

    Returns:
        list of `Package`, those without Python files left out.

    Raises:
        KzooError: if there is no package of a name.
    """
    there = {}
    for root, is_stdlib in roots:
        for name, entries in _top_level(root).items():
            group = STDLIB if is_stdlib else name
            there.setdefault(name, (group, root, entries))
    for name in names or ():
        if name != STDLIB and name not in there:
            near = nearest(name, [*there, STDLIB])
            hint = f'did you mean "{near}"?' if near else "write it as one imports it."
            raise KzooError(
                f'{DOCSTRINGS}: no package "{name}" is installed here; {hint}'
            )
    found = [
        _package(name, group, root, entries)
        for name, (group, root, entries) in sorted(there.items())
        if names is None or name in names or group in names
    ]
    return [package for package in found if package.files]


def _top_level(root):
    """Names of packages and modules in a folder, to what lies there of them."""
    names = {}
    with os.scandir(root) as entries:
        for entry in entries:
            name = entry.name.removesuffix(".py")
            if name.isidentifier() and name not in (*OWN, *PASSED_OVER):
                names.setdefault(name, []).append(entry)
    return names


def _package(name, group, root, entries):
    files, skipped = [], {}
    for entry in sorted(entries, key=lambda entry: entry.name):
        if entry.is_dir():
            for folder, inner, names in os.walk(entry.path):
                inner[:] = [one for one in inner if one not in PASSED_OVER]
                for one in names:
                    _add(Path(folder, one), root, files, skipped)
        else:
            _add(Path(entry.path), root, files, skipped)
    return Package(name, group, root, sorted(files), skipped)


def _add(path, root, files, skipped):
    name = path.name
    if not name.endswith(".py") or name.startswith("__editable__"):
        return
    reason = None
    try:
        about = path.stat()
        if name.startswith("test_") or name.endswith(("_test.py", "conftest.py")):
            reason = "tests"
        elif about.st_size > LARGEST or not path.is_file():
            reason = "too large"
    except OSError:
        reason = "not readable"
    if reason:
        skipped[reason] = skipped.get(reason, 0) + 1
        return
    below = path.relative_to(root).as_posix()
    files.append(File(below, about.st_size, about.st_mtime_ns))
