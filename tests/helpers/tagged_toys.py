"""A recipe of a tagger so small that a whole run takes a second or two."""

import numpy as np
from kzoo_recipes import from_dict

from tests.helpers.tables import merged

FIRST = {"PER": ("Ada", "Bo", "Cy"), "LOC": ("Rome", "Oslo"), "ORG": ("Acme", "Zed")}
SECOND = {"PER": "Ray", "LOC": "Bay", "ORG": "Ltd"}
FILLER = ("the", "sea", "of", "was", "calm", "and", "went", "home", "unbelievably")


def sentence(rng, types=("PER", "LOC", "ORG"), words=None):
    """Words and IOB2 tags, drawn."""
    found = []
    while len(found) < (words or rng.integers(2, 9)):
        if rng.random() < 0.35:
            kind = types[rng.integers(len(types))]
            found.append((rng.choice(FIRST[kind]), f"B-{kind}"))
            if rng.random() < 0.5:
                found.append((SECOND[kind], f"I-{kind}"))
        else:
            found.append((rng.choice(FILLER), "O"))
    return [(str(word), tag) for word, tag in found]


def write_conll(path, count, seed=0, long=None, **options):
    """A CoNLL file of drawn sentences; `long` words in one more, if given."""
    rng = np.random.default_rng(seed)
    rows = [sentence(rng, **options) for _ in range(count)]
    if long:
        rows.append(sentence(rng, words=long))
    text = "\n\n".join("\n".join(f"{w}\t{t}" for w, t in row) for row in rows)
    path.write_text(text + "\n")
    return str(path)


def toy_tagger(folder, **changes):
    """A tiny recipe with rows in `folder`, changed: `training={…}, data={…}, …`.

    Its training rows hold a text of several windows.
    """
    tables = {
        "name": "tagger",
        "task": "token_tagger",
        "seed": 3,
        "data": {
            "train": write_conll(folder / "train.conll", 40, long=40),
            "dev": write_conll(folder / "dev.conll", 9, 1, long=30),
            "test": write_conll(folder / "test.conll", 7, 2),
            "sequence_length": 16,
            "buckets": [16],
        },
        "tokenizer": {"vocabulary_size": 90, "min_frequency": 1, "lowercase": False},
        "model": {
            "encoder": {
                "num_layers": 1,
                "num_heads": 2,
                "hidden_dim": 16,
                "intermediate_dim": 16,
                "position": "learned",
            }
        },
        "training": {
            "epochs": 2,
            "batch_size": 8,
            "evaluation_batch_size": 8,
            "learning_rate": 3e-2,
        },
    }
    return from_dict(merged(tables, changes), "tagger.toml")
