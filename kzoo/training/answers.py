"""A saved model asked about rows whose labels are known."""

import dataclasses

import numpy as np
from kzoo_recipes import ClassifierData, KzooError, recipe_beside

from kzoo.data import LabelSet, load_splits, read
from kzoo.data.readers import Layout, Rows
from kzoo.models import TextClassifier
from kzoo.tasks import TASKS
from kzoo.training.steppers import make_stepper

TASK_OF = {TextClassifier: "text_classifier"}


@dataclasses.dataclass(frozen=True)
class Answered:
    """Rows and what a model said about them.

    Attributes:
        run: str. The model, as it was named.
        source: str. What the rows are: a split or a file.
        rows: `Rows`.
        labels: int32 `(rows,)`, or uint8 `(rows, classes)` of 0 and 1.
        logits: float32 `(rows, classes)`.
        names: list of str, one per class.
        notes: list of str. What was done to the texts.
    """

    run: str
    source: str
    rows: Rows
    labels: np.ndarray
    logits: np.ndarray
    names: list
    notes: list


def rows_for(run, split, data, layout):
    """The rows to ask about, and what they are called.

    Args:
        run: str or `Path`. A run folder, a `.keras` file or `"zoo:NAME"`.
        split: str. Which rows of the run's own recipe to use.
        data: str or `Path`. Files to use instead, as for `kzoo.data.read`.
        layout: dict. How `data` is written, where it is not as the recipe says.

    Raises:
        KzooError: if there is no such split or file, or no recipe beside the run.
    """
    recipe = recipe_beside(run)
    if data is not None:
        own = ClassifierData() if recipe is None else recipe.data
        rows = read(data, Layout.like(own, data, layout)).renamed(own.labels)
        return rows, str(data)
    if recipe is None:
        raise KzooError(
            f"{run} has no recipe.toml beside it: name a file of rows with --data FILE."
        )
    splits = load_splits(recipe.data)
    if split not in splits:
        raise KzooError(f'there is no split "{split}"; there are {", ".join(splits)}.')
    return splits[split], f"{split} split"


def ask(model, run, rows, source, batch_size):
    """`Answered`: what the model of `run` says about `rows`."""
    task = TASKS[TASK_OF[type(model)]]()
    labels = LabelSet(model.labels, model.multi_label)
    prepared = task.encode(
        {source: rows}, model.tokenizer, labels, model.sequence_length
    )
    logits = task.logits(make_stepper(model).predict, prepared, source, batch_size)
    return Answered(
        run=str(run),
        source=source,
        rows=rows,
        labels=prepared.splits[source].labels,
        logits=logits,
        names=list(model.labels),
        notes=prepared.notes,
    )


def check_counts(**counts):
    """Raise a `ValueError` about the first count that is too small.

    Args:
        **counts: pair of an int and the least it may be, by name.
    """
    for name, (value, least) in counts.items():
        if value < least:
            raise ValueError(
                f"`{name}` must be at least {least}. Received: {name}={value}"
            )
