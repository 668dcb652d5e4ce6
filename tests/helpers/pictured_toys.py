"""A recipe of texts with pictures, so small that a whole run takes a second."""

import csv

import numpy as np
from kzoo_recipes import from_dict
from PIL import Image

from tests.helpers.tables import merged

COLOURS = {"red": (230, 20, 20), "blue": (20, 20, 230)}


def write_pictures(path, count, seed=0):
    """A table of pictures of one colour and texts that name one, true or false."""
    rng = np.random.default_rng(seed)
    folder = path.parent / f"{path.stem}_pictures"
    folder.mkdir()
    rows = []
    for row in range(count):
        shown, said = list(COLOURS)[row % 2], list(COLOURS)[row // 2 % 2]
        size = rng.integers(9, 20, 2)
        pixels = np.full((*size, 3), COLOURS[shown], "uint8")
        Image.fromarray(pixels).save(folder / f"{row}.png")
        words = rng.choice(["really", "it", "is"], rng.integers(0, 4))
        label = "yes" if shown == said else "no"
        rows.append((f"{folder.name}/{row}.png", " ".join([*words, said]), label))
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("image", "text", "label"), *rows])
    return str(path)


def toy_pictured(folder, **changes):
    """A tiny recipe with rows in `folder`, changed: `training={…}, data={…}, …`."""
    tables = {
        "name": "toy",
        "task": "image_text_classifier",
        "seed": 3,
        "data": {
            "train": write_pictures(folder / "train.csv", 40),
            "dev": write_pictures(folder / "dev.csv", 12, 1),
            "test": write_pictures(folder / "test.csv", 16, 2),
            "sequence_length": 8,
            "buckets": [8],
        },
        "images": {"size": 8},
        "tokenizer": {"kind": "word", "vocabulary_size": 80, "min_frequency": 1},
        "model": {
            "patch_size": 4,
            "encoder": {
                "num_layers": 2,
                "num_heads": 2,
                "hidden_dim": 16,
                "intermediate_dim": 32,
                "position": "learned",
            },
        },
        "training": {
            "epochs": 3,
            "batch_size": 16,
            "evaluation_batch_size": 16,
            "learning_rate": 1e-2,
        },
    }
    return from_dict(merged(tables, changes))
