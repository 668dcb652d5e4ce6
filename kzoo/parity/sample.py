"""A few of a recipe's own rows: enough to compare, little enough to wait for."""

import dataclasses

import numpy as np
from msgspec.structs import replace

from kzoo.data.batches import length_buckets
from kzoo.tasks import TASKS

ROWS = 8  # of a batch, at the most
BATCHES = 16  # of different rows
QUESTIONS = 64  # rows of dev to predict
WRITTEN = 16  # rows of dev to write something about, a step for each token
WRITES = ("summarizer", "span_corruption")


def sampled(recipe, prepared, steps):
    """A recipe and its rows, cut down.

    Model, tokenizer, labels, loss, optimizer and schedule stay what they are. Batches
    have up to `ROWS` rows, in one part where the recipe accumulates, and in one padded
    length, so that every backend compiles its step once.

    Args:
        recipe: `Recipe`.
        prepared: what its task made of the rows.
        steps: int. Steps to train.

    Returns:
        The recipe and what to give to `kzoo.training.setup.set_up` with it.
    """
    rows = min(ROWS, recipe.training.batch_size)
    splits = {
        "train": spread(prepared.splits["train"], BATCHES * rows),
        "dev": spread(
            prepared.splits["dev"],
            WRITTEN if recipe.task in WRITES else QUESTIONS,
        ),
    }
    prepared = dataclasses.replace(prepared, splits=splits)
    sequences = TASKS[recipe.task]().sequences(prepared, "train")
    lengths = [len(ids) for ids in sequences]
    return (
        replace(
            recipe,
            training=replace(
                recipe.training, batch_size=rows, accumulation=1, steps=steps
            ),
            data=replace(
                recipe.data,
                buckets=length_buckets(prepared.sequence_length, lengths, most=1),
            ),
        ),
        prepared,
    )


def spread(split, count):
    """At most `count` rows of a split, evenly spread over it.

    Args:
        split: dataclass whose lists and arrays have an entry per row.
        count: int.
    """
    size = len(split)
    rows = np.unique(np.linspace(0, size - 1, min(count, size)).astype(int))
    changed = {}
    for field in dataclasses.fields(split):
        value = getattr(split, field.name)
        if isinstance(value, np.ndarray) and len(value) == size:
            changed[field.name] = value[rows]
        elif isinstance(value, list) and len(value) == size:
            changed[field.name] = [value[row] for row in rows]
    return dataclasses.replace(split, **changed)
