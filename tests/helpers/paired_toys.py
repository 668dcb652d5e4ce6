"""A recipe of a summarizer so small that a whole run takes a second or two."""

import json

import numpy as np
from kzoo_recipes import from_dict

from tests.helpers.tables import merged

WHO = ("Ada", "Bo", "Cy", "Dee", "Eve")
WHERE = ("Rome", "Oslo", "Bath", "Lund")
FILLER = ("the", "sea", "of", "was", "calm", "and", "went", "home", "unbelievably")


def pair(rng, words=None):
    """A document with a name and a place in it, and the summary that tells both."""
    filler = [str(rng.choice(FILLER)) for _ in range(words or rng.integers(3, 9))]
    who, where = str(rng.choice(WHO)), str(rng.choice(WHERE))
    document = " ".join([filler[0], who, *filler[1:], "in", where])
    return {"document": document, "summary": f"{who} in {where}"}


def write_pairs(path, count, seed=0, long=None, references=False):
    """A JSONL file of drawn pairs; a document of `long` words more, if given.

    Rows weigh 1, 2 and 3, in turn.
    """
    rng = np.random.default_rng(seed)
    rows = [pair(rng) for _ in range(count)]
    if long:
        rows.append(pair(rng, long))
    for number, row in enumerate(rows):
        row["weight"] = 1 + number % 3
        if references:
            row["references"] = [row["summary"], "in " + row["summary"].split()[-1]]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def toy_summarizer(folder, **changes):
    """A tiny recipe with rows in `folder`, changed: `training={…}, data={…}, …`.

    Its training rows hold a document that is too long.
    """
    tables = {
        "name": "summarizer",
        "task": "summarizer",
        "seed": 3,
        "data": {
            "train": write_pairs(folder / "train.jsonl", 40, long=30),
            "dev": write_pairs(folder / "dev.jsonl", 9, 1, long=30),
            "test": write_pairs(folder / "test.jsonl", 7, 2, references=True),
            "references": "references",
            "sequence_length": 16,
            "summary_length": 6,
            "buckets": [16],
        },
        "tokenizer": {"kind": "word", "min_frequency": 1, "lowercase": False},
        "model": {
            "encoder": {
                "num_layers": 1,
                "num_heads": 2,
                "hidden_dim": 16,
                "intermediate_dim": 16,
            }
        },
        "training": {
            "epochs": 2,
            "batch_size": 8,
            "evaluation_batch_size": 8,
            "evaluation_rows": 4,
            "learning_rate": 3e-2,
        },
        "generation": {"beams": 2},
    }
    return from_dict(merged(tables, changes), "summarizer.toml")
