"""Recipes that learn from plain text, so small that a run takes a second."""

from pathlib import Path

import numpy as np
from kzoo_recipes import from_dict

from tests.helpers.tables import merged

WORDS = ("cat", "dog", "hill", "tower", "river", "sits", "runs", "near", "over", "the")


def write_texts(path, count, seed=0):
    """Lines in which a word says the next one, so that there is something to learn."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(count):
        start, size = rng.integers(0, len(WORDS)), rng.integers(3, 9)
        lines.append(" ".join(WORDS[(start + k) % len(WORDS)] for k in range(size)))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return str(path)


def toy_masked(folder, **changes):
    """A tiny recipe with texts in `folder`, changed: `training={…}, data={…}, …`."""
    return _toy("masked_lm", folder, changes, {"position": "neighbours"})


def toy_spans(folder, family="t5", **changes):
    """Likewise, of span corruption; without a family, a model of no one's."""
    own = {"dropout": 0.0} if family else {"position": "relative"}
    model = {"family": family, **changes.pop("model", {})} if family else {}
    return _toy("span_corruption", folder, {**changes, "model": model}, own)


def _toy(task, folder, changes, encoder):
    folder = Path(folder)
    tables = {
        "name": "toy",
        "task": task,
        "seed": 3,
        "data": {
            "train": write_texts(folder / "train.txt", 60),
            "dev": write_texts(folder / "dev.txt", 20, 1),
            "test": write_texts(folder / "test.txt", 20, 2),
            "sequence_length": 16,
            "buckets": [16],
        },
        "tokenizer": {"kind": "word", "min_frequency": 1},
        "model": {
            "encoder": {
                "num_layers": 1,
                "num_heads": 2,
                "hidden_dim": 16,
                "intermediate_dim": 16,
                **encoder,
            }
        },
        "training": {
            "epochs": 4,
            "batch_size": 8,
            "evaluation_batch_size": 8,
            "learning_rate": 2e-2,
        },
    }
    return from_dict(merged(tables, changes), "toy.toml")
