"""Measuring a saved model, on its own rows or on others."""

from pathlib import Path

from kzoo_recipes import Data, KzooError, load

from kzoo.data import LabelSet, load_splits, read
from kzoo.models import TextClassifier, load_model
from kzoo.tasks import TASKS
from kzoo.training.history import plain
from kzoo.training.steppers import make_stepper

TASK_OF = {TextClassifier: "text_classifier"}


def evaluate(run, split="test", data=None, batch_size=64, **layout):
    """Metrics of a saved model.

    Args:
        run: str or `Path`. A run folder, a `.keras` file or `"zoo:NAME"`.
        split: str. Which rows of the run's own recipe to use.
        data: str or `Path`. Files to use instead, as for `kzoo.data.read`; their
            columns are those of the run's recipe, or `text` and `label` if there is
            none, and its `[data.labels]` renames their labels.
        batch_size: int. How many texts at once.
        **layout: `text`, `label`, `format` and `encoding` of `data`, in place of the
            recipe's; see `kzoo.data.Layout`.

    Returns:
        dict, as "dev" and "test" in `metrics.json`.

    Raises:
        KzooError: if there is no such run, split or file.
    """
    if batch_size < 1:
        raise ValueError(
            f"`batch_size` must be at least 1. Received: batch_size={batch_size}"
        )
    model = load_model(run)
    recipe = recipe_of(run)
    if data is not None:
        own = Data() if recipe is None else recipe.data
        columns = {"text": own.text, "label": own.label}
        rows = read(data, **columns | layout, option="--{key} ").renamed(own.labels)
    elif recipe is None:
        raise KzooError(
            f"{run} has no recipe.toml beside it: name a file of rows with --data FILE."
        )
    else:
        splits = load_splits(recipe.data)
        if split not in splits:
            raise KzooError(
                f'there is no split "{split}"; there are {", ".join(splits)}.'
            )
        rows = splits[split]
    task = TASKS[TASK_OF[type(model)]]()
    prepared = task.encode(
        {split: rows}, model.tokenizer, LabelSet(model.labels), model.sequence_length
    )
    predict = make_stepper(model).predict
    return plain(task.evaluate(predict, prepared, split, batch_size))


def recipe_of(run):
    """The recipe beside a model, or `None`."""
    if str(run).startswith("zoo:"):
        return None
    path = Path(run)
    file = (path if path.is_dir() else path.parent) / "recipe.toml"
    return load(file) if file.is_file() else None
