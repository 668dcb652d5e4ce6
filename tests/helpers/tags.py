"""Random tags, by any scheme and against it."""

import numpy as np

PREFIXES = {"iob2": "BI", "iob1": "BI", "bioes": "BIES", "bilou": "BILU", "io": "I"}


def random_tags(scheme, rows=30, types=("A", "B-C", "D"), seed=0, outside=0.4, most=12):
    """Sentences of any tags, as gold ones, and others, three quarters of them equal.

    Most break the scheme's rules of what follows what, as a model's may.
    """
    rng = np.random.default_rng(seed)
    tags = [f"{prefix}-{name}" for prefix in PREFIXES[scheme] for name in types]

    def drawn():
        return "O" if rng.random() < outside else str(rng.choice(tags))

    gold = [[drawn() for _ in range(rng.integers(1, most))] for _ in range(rows)]
    said = [[tag if rng.random() < 0.75 else drawn() for tag in row] for row in gold]
    return gold, said
