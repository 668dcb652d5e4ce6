"""Finding a saved model and its backend before Keras starts."""

import tomllib
from pathlib import Path

from kzoo_recipes import BACKENDS, KzooError, SummarizerData, load, recipe_beside
from kzoo_recipes.loader import expanded, names
from kzoo_recipes.run_folders import meant, runs_near

from .installed import first_installed, own_or_installed
from .output import note

CHECKPOINT = (
    "; it is read by kzoo.from_hugging_face in Python, and by a recipe whose [model] "
    "pretrained names it"
)


def locate(run, output="saved_models"):
    """The model that `run` means.

    A run's folder, a .keras file, zoo:NAME, or the name of a recipe whose only run lies
    in `output`.

    Returns:
        The Path of what is there, or the `zoo:` name as it is.

    Raises:
        KzooError: if there is no such model, or more than one.
    """
    if run.startswith("zoo:"):
        return run
    if run.startswith("hf:"):
        raise KzooError(f"{run} is no model of kzoo{CHECKPOINT}.")
    path = expanded(run)
    if not path.exists() and len(path.parts) == 1 and (Path(output) / path).is_dir():
        path = Path(output) / path
    if not path.exists():
        near = meant(runs_near(path, output, "model.keras"))
        raise KzooError(
            f"{run}: there is no such run or model"
            + (
                near
                or "; name a run's folder, a .keras file, zoo:summarizer, "
                "zoo:text_classifier, zoo:token_tagger, or a recipe that was trained."
            )
        )
    if not path.is_dir() or (path / "model.keras").is_file():
        return path
    inside = sorted(p.parent for p in path.glob("*/model.keras"))
    if not inside:
        raise KzooError(f"{path} holds no model.keras{_or_checkpoint(path)}.")
    if len(inside) > 1:
        raise KzooError(
            f"{path} holds {len(inside)} runs: name one of "
            f"{', '.join(map(str, inside))}."
        )
    return inside[0]


def _or_checkpoint(path):
    """What to add of a folder without a model, where it holds a checkpoint."""
    return CHECKPOINT if (path / "config.json").is_file() else ""


def backend_for(run, asked):
    """`asked`, else the backend the run was trained on, else one that is installed."""
    if asked:
        return asked
    own = _trained_on(run)
    return own_or_installed(own, "run") if own else first_installed()


def own_data(run):
    """How the rows that a model was trained on are written; `None` if nobody says."""
    try:
        recipe = recipe_beside(run) or _shipped(run)
    except KzooError as error:  # A model is complete without its recipe.
        note(f"Note: columns are not looked for as in the run's recipe: {error}")
        return None
    return recipe and recipe.data


def _shipped(run):
    """The recipe that a summarizer of the zoo has its name from, or `None`.

    Other models of the zoo take rows of any kind whose column of texts is `text`.
    """
    name = str(run).removeprefix("zoo:")
    recipe = load(name) if str(run) != name and name in names() else None
    return recipe if recipe and isinstance(recipe.data, SummarizerData) else None


def _trained_on(run):
    if not isinstance(run, Path):
        return None
    recipe = (run if run.is_dir() else run.parent) / "recipe.toml"
    try:
        backend = tomllib.loads(recipe.read_text("utf-8")).get("backend")
    except (OSError, ValueError):
        return None  # A model is complete without its recipe.
    return backend if backend in BACKENDS else None
