"""One backend's part of `kzoo parity`, in a process of its own.

The folder holds `recipe.toml`. The first probe prepares the rows for all; each writes
its numbers and compares them with those of the probes before it, which then need not
be read again: `0.npz` and `0.json` of the first, `1.npz`, `1.json` and `0-1.json`, the
comparison of the first two, of the second, and so on.
"""

import dataclasses
import json
import pickle
import time

import numpy as np
from kzoo_recipes import load

from kzoo.data.batches import inference_batches
from kzoo.models.sizes import count_parameters
from kzoo.parity.comparison import compare, first_difference, tolerances
from kzoo.parity.numbers import Archive, measure
from kzoo.parity.sample import sampled
from kzoo.tasks import TASKS
from kzoo.tasks.pretrained import described
from kzoo.training import backend
from kzoo.training.setup import set_up


def probe(folder, number, steps):
    """Measure the recipe of `folder` on the running backend and device.

    Args:
        folder: `Path`. Holds the recipe and what other probes wrote.
        number: int. Which probe this is, from 0.
        steps: int. Steps to train.

    Raises:
        KzooError: if the recipe's data cannot be used.
    """
    began = time.perf_counter()
    recipe, prepared = _rows(folder, steps)
    setup = set_up(recipe, prepared)
    task = TASKS[recipe.task]()
    settings = recipe.training
    start = setup.batches.at(0)
    completed = getattr(task, "completed", lambda prepared, split, rows, inputs: inputs)
    questions = [
        completed(prepared, "dev", rows, inputs)
        for rows, inputs in inference_batches(
            task.sequences(prepared, "dev"),
            settings.batch_size,
            [prepared.sequence_length],
            prepared.tokenizer.pad_id,
        )
    ]
    with Archive(folder / f"{number}.npz") as found:
        measure(
            setup.stepper,
            setup.batches.at,
            [setup.schedule(step) for step in range(steps)],
            questions,
            found,
            lambda inputs: task.decide(
                setup.model, setup.stepper.predict, inputs, prepared
            ),
        )
    facts = {
        "number": number,
        "backend": backend.name(),
        "version": backend.version(),
        "device": backend.device(),
        "seconds": round(time.perf_counter() - began, 1),
        "parameters": count_parameters(setup.model.weights),
        "rows": len(start.labels),
        **_tokens(start),
        "predicted": sum(len(inputs["token_ids"]) for inputs in questions),
        "steps": steps,
        "precision": settings.precision,
        "depth": depth_of(described(recipe, setup.model).model),
    }
    for earlier in range(number):
        _write(folder / f"{earlier}-{number}.json", _compared(folder, earlier, facts))
    _write(folder / f"{number}.json", facts)


def _tokens(batch):
    """The padded length of a batch; of documents and summaries, both."""
    lengths = [length for _, length in batch.shapes]
    names = ("tokens", "target_tokens")[: len(lengths)]
    return dict(zip(names, lengths, strict=True))


def depth_of(model):
    """Sub-layers that a number goes through, one after the other.

    Args:
        model: `kzoo_recipes.Model`. Blocks of a decoder have three of them.
    """
    decoder = getattr(model, "decoder", None)
    return 2 * model.encoder.num_layers + 2 + (3 * decoder.num_layers if decoder else 0)


def _rows(folder, steps):
    """The recipe and its few rows, the same for all probes."""
    kept = folder / "rows.pickle"
    if not kept.exists():
        recipe = load(folder / "recipe.toml")
        small = sampled(recipe, TASKS[recipe.task]().prepare(recipe), steps)
        kept.write_bytes(pickle.dumps(small))
    return pickle.loads(kept.read_bytes())


def _compared(folder, earlier, facts):
    """This probe's numbers against those of an earlier one."""
    before = json.loads((folder / f"{earlier}.json").read_text("utf-8"))
    devices = before["device"], facts["device"]
    limits = tolerances(devices, facts["precision"], facts["depth"])
    number = facts["number"]
    with (
        np.load(folder / f"{earlier}.npz") as one,
        np.load(folder / f"{number}.npz") as other,
    ):
        rows = compare(one, other, limits)
    return {
        "agree": all(row.agrees for row in rows),
        "first_difference": first_difference(rows),
        "rows": [{**dataclasses.asdict(row), "agrees": row.agrees} for row in rows],
    }


def _write(path, value):
    path.write_text(json.dumps(value, allow_nan=True), encoding="utf-8")
