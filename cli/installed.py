"""Which backends are installed, and which is taken in place of one that is not."""

from importlib.util import find_spec

from kzoo_recipes import BACKENDS, KzooError

from .output import note


def is_installed(name):
    """Whether the backend `name` could be started; nothing is imported."""
    return find_spec(name) is not None


def installed():
    """The backends that are there, in kzoo's order."""
    return [name for name in sorted(BACKENDS) if is_installed(name)]


def not_installed(name):
    """The error about a backend that was asked for and is not there."""
    there = installed()
    are = "is" if len(there) == 1 else "are"
    others = f", but {' and '.join(there)} {are}" if there else ""
    return KzooError(
        f"the backend {name} is not installed{others}; "
        f'`pip install "kzoo[{name}]"` brings {name}.'
    )


def first_installed():
    """The backend to take when nothing names one.

    Raises:
        KzooError: if none is installed.
    """
    for name in installed():
        return name
    raise KzooError(
        "no backend is installed; "
        '`pip install "kzoo[jax]"` (or tensorflow, or torch) brings one.'
    )


def own_or_installed(name, owner):
    """A backend that nobody asked for: `name`, else one that is there, which is said.

    Args:
        name: str. The backend that the recipe names, or on which the run was trained.
        owner: str. Whose it is, `"recipe"` or `"run"`.

    Raises:
        KzooError: if none is installed.
    """
    if is_installed(name):
        return name
    other = first_installed()
    note(f"{name}, the {owner}'s backend, is not installed: running on {other}.")
    return other
