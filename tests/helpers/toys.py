"""A recipe so small that a whole run takes a second."""

from importlib.util import find_spec

import keras
import numpy as np
import pytest
from kzoo_recipes import from_dict

from tests.helpers.tables import merged

QUICKEST = next(b for b in ("torch", "jax", "tensorflow") if find_spec(b))
once = pytest.mark.skipif(
    keras.backend.backend() != QUICKEST,
    reason="knows no backend, so it runs on the quickest one",
)

WORDS = {"good": ("fine", "lovely", "great"), "bad": ("dull", "awful", "poor")}


def write_rows(path, count, seed=0, labels=("good", "bad")):
    rng = np.random.default_rng(seed)
    lines = ["text,label"]
    for row in range(count):
        label = labels[row % len(labels)]
        words = rng.choice(WORDS.get(label, ("odd",)), rng.integers(1, 6))
        lines.append(f"a {' '.join(words)} film {row},{label}")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def toy_recipe(folder, **changes):
    """A tiny recipe with rows in `folder`, changed: `training={…}, data={…}, …`."""
    tables = {
        "name": "toy",
        "task": "text_classifier",
        "seed": 3,
        "data": {
            "train": write_rows(folder / "train.csv", 40),
            "dev": write_rows(folder / "dev.csv", 11, 1),
            "test": write_rows(folder / "test.csv", 13, 2),
            "sequence_length": 12,
            "buckets": [12],
        },
        "tokenizer": {"vocabulary_size": 80, "min_frequency": 1},
        "model": {
            "encoder": {
                "num_layers": 1,
                "num_heads": 2,
                "hidden_dim": 8,
                "intermediate_dim": 8,
            }
        },
        "training": {
            "epochs": 3,
            "batch_size": 16,
            "evaluation_batch_size": 16,
            "learning_rate": 2e-2,
        },
        "expect": {"accuracy": {"at_least": 0.8}},
    }
    return from_dict(merged(tables, changes), "toy.toml")
