"""What a run would be, without the run: sizes, one real step, and nothing on disk."""

import math
import time
from pathlib import Path

from kzoo_recipes import KzooError, effective

from kzoo.models.sizes import count_parameters
from kzoo.tasks.pretrained import described
from kzoo.training import backend
from kzoo.training.footprint import estimate_memory
from kzoo.training.manners import moved_parameters
from kzoo.training.run import resolve
from kzoo.training.setup import set_up

LOOKED_AT = 200  # batches, for the tokens of a step
STACKS = ("encoder", "decoder")
LONGEST = ("longest", "longest_target")
AGAIN, PATIENCE = 3, 5.0  # steps to time, seconds to spend on them


def dry_run(recipe, output="saved_models"):
    """Prepare a run as `train` does, make its first step and throw it away.

    Args:
        recipe: `Recipe`, a shipped name or the path of a .toml file.
        output: str or `Path`. Where the run would go; nothing is written.

    Returns:
        dict of what JSON can say: "recipe", as resolved; "backend"; "device";
        "folder"; "notes"; "labels", `None` where there are none; "rows" by split;
        "vocabulary_size"; "parameters" by part, "trainable", "total" and "trained",
        those that a step moves; "groups" of weights that are moved alike, see
        `Manners`; "steps"; "steps_per_epoch"; "tokens" of a step, see `tokens_of`;
        "memory" in bytes, see `estimate_memory`; "step": its "loss", "seconds" with
        compiling and "seconds_again" without;
        "training_seconds", what all steps take, roughly, evaluations aside.

    Raises:
        KzooError: if the recipe or its data cannot be used, or the loss of the step is
            not finite.
    """
    recipe = resolve(recipe)
    setup = set_up(recipe)
    recipe = setup.recipe
    parameters = parameters_of(setup.model)
    moved = moved_parameters(setup.manners.groups, setup.total_steps)
    parameters["trained"] = moved
    tokens = tokens_of(setup.batches, setup.total_steps)
    batch = setup.batches.at(0)
    setup.stepper.step = setup.manners.starts[-1]  # A step that moves all is longest.
    step = first_step(setup.stepper, batch, setup.schedule(0))
    cells = sum(part.cells for part in parts_of(batch))
    written = None
    vocabulary_size = setup.prepared.tokenizer.vocabulary_size
    if "longest_target" in tokens:
        written = tokens["longest_target"], vocabulary_size
    elif "places" in tokens:
        written = tokens["places"], vocabulary_size
    seconds = step["seconds_again"] * setup.total_steps * tokens["cells"] / cells
    return {
        "recipe": effective(recipe),
        "backend": recipe.backend,
        "device": backend.device(),
        "folder": str(Path(output) / (recipe.name or recipe.task) / recipe.backend),
        "notes": setup.prepared.notes,
        "labels": setup.prepared.labels and list(setup.prepared.labels),
        "rows": {split: len(rows) for split, rows in setup.prepared.splits.items()},
        "vocabulary_size": setup.prepared.tokenizer.vocabulary_size,
        "parameters": parameters,
        "groups": setup.manners.groups,
        "steps": setup.total_steps,
        "steps_per_epoch": len(setup.batches),
        "tokens": tokens,
        "memory": estimate_memory(
            described(recipe, setup.model),
            parameters["total"],
            parameters["trainable"],
            recipe.training.batch_size // recipe.training.accumulation,
            tokens["longest"],
            written,
        ),
        "step": step,
        "training_seconds": seconds,
    }


def parameters_of(model):
    """How many numbers the weights of a model hold, by part.

    Args:
        model: built `keras.Model`. Its counters, which hold integers, are left out.

    Returns:
        dict: "parts", from "embedding", "blocks", … to int, or "encoder blocks", …
        where there is a decoder, too; "trainable"; "total".
    """
    parts = {}
    several = hasattr(model, "decoder")
    for weight in model.weights:
        count = count_parameters([weight])
        if count:
            first, *rest = weight.path.split("/")
            inner = rest[0] if first in STACKS and len(rest) > 1 else first
            part = "blocks" if inner.startswith("block_") else inner
            if several and first in STACKS:
                part = f"{first} {part}"
            parts[part] = parts.get(part, 0) + count
    return {
        "parts": parts,
        "trainable": count_parameters(model.trainable_weights),
        "total": count_parameters(model.weights),
    }


def tokens_of(batches, total_steps):
    """The size of a step in tokens, as the first epoch has them.

    Returns:
        dict: "mean", tokens of the texts; "cells", with padding; "padding_share";
        "rows", of a batch; "longest", the padded length of the longest batch seen, and
        "longest_target", likewise of what a decoder writes, if there is one; and
        "places", how many tokens of a row are asked for at the most, if some are.
    """
    steps = min(len(batches), total_steps, LOOKED_AT)
    rows = cells = filled = 0
    longest = {}
    for step in range(steps):
        batch = batches.at(step)
        parts = parts_of(batch)
        size = sum(part.cells for part in parts)
        cells += size
        filled += (1 - batch.padding_share) * size
        rows = max(rows, sum(part.shapes[0][0] for part in parts))
        for part in parts:
            for name, (_, length) in zip(LONGEST, part.shapes, strict=False):
                longest[name] = max(longest.get(name, 0), length)
            if "places" in part.inputs:
                places = part.inputs["places"].shape[1]
                longest["places"] = max(longest.get("places", 0), places)
    return {
        "mean": filled / steps,
        "cells": cells / steps,
        "padding_share": 1 - filled / cells,
        "rows": rows,
        **longest,
    }


def parts_of(batch):
    """What a step computes at once: one batch, or several."""
    return getattr(batch, "parts", [batch])


def first_step(stepper, batch, learning_rate):
    """Make a step, then a few more, which have nothing left to compile.

    Returns:
        dict: "loss" of the first; "seconds" it took; "seconds_again", of the fastest
        of the others.
    """
    first, loss = timed_step(stepper, batch, learning_rate)
    if not math.isfinite(loss):
        raise KzooError(
            f"The loss of the first step is {loss}: look at the weights of the "
            "rows and at [model]."
        )
    again = []
    while not again or (len(again) < AGAIN and sum(again) < PATIENCE):
        again.append(timed_step(stepper, batch, learning_rate)[0])
    return {"loss": loss, "seconds": first, "seconds_again": min(again)}


def timed_step(stepper, batch, learning_rate):
    """Seconds and loss of a step."""
    began = time.perf_counter()
    loss = float(stepper.train(batch, learning_rate))  # Waits for it.
    return time.perf_counter() - began, loss
