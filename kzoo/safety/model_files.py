"""Finding a saved model, with one sentence where there is none."""

from importlib.resources import as_file, files
from pathlib import Path

from kzoo_recipes import KzooError
from kzoo_recipes.sources import ZOO

from kzoo.safety.kinds import kind_of_folder


def model_file(path):
    """Return a context manager that gives the `.keras` file behind `path`.

    Raises:
        KzooError: if there is none.
    """
    path = str(path)
    if path.startswith(ZOO):
        return as_file(_zoo_entry(path.removeprefix(ZOO)))
    file = Path(path)
    if file.is_dir():
        kind = kind_of_folder([entry.name for entry in file.iterdir()])
        file = file / "model.keras"
        if kind and not file.exists():
            raise KzooError(f"{path}: {kind}")
    if not file.is_file():
        raise KzooError(
            f"{path}: there is no model here; name a .keras file, a run folder that "
            f"holds model.keras, or {ZOO}NAME ({', '.join(map(ZOO.__add__, zoo()))})."
        )
    return as_file(file)


def zoo():
    """Return the names of the models that ship with kzoo."""
    entries = files("kzoo_zoo").iterdir()
    return sorted(
        e.name[: -len(".keras")] for e in entries if e.name.endswith(".keras")
    )


def _zoo_entry(name):
    if name not in zoo():
        raise KzooError(
            f"{ZOO}{name}: there is no such model in the zoo; "
            f"it holds {', '.join(zoo()) or 'none'}."
        )
    return files("kzoo_zoo") / f"{name}.keras"
