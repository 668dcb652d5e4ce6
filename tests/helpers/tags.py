"""Random tags, by any scheme and against it."""

import types

import numpy as np

from kzoo.data.schemes import PREFIXES


def random_tags(scheme, rows=30, names=("A", "B-C", "D"), seed=0, outside=0.4, most=12):
    """Sentences of any tags, as gold ones, and others, three quarters of them equal.

    Most break the scheme's rules of what follows what, as a model's may.
    """
    rng = np.random.default_rng(seed)
    tags = [f"{prefix}-{name}" for prefix in PREFIXES[scheme] for name in names]

    def drawn():
        return "O" if rng.random() < outside else str(rng.choice(tags))

    gold = [[drawn() for _ in range(rng.integers(1, most))] for _ in range(rows)]
    said = [[tag if rng.random() < 0.75 else drawn() for tag in row] for row in gold]
    return gold, said


def tagged_rows(tags, words=None):
    """Rows with these tags, a word a line: `w0`, `w1`, …, if none are given."""
    words = words or [[f"w{place}" for place in range(len(row))] for row in tags]
    spans, lines, line = [], [], 0
    for row in words:
        ends = np.cumsum([len(word) + 1 for word in row])
        spans.append(
            [
                (int(end) - len(w) - 1, int(end) - 1)
                for w, end in zip(row, ends, strict=True)
            ]
        )
        lines.append(list(range(line + 1, line + len(row) + 1)))
        line += len(row) + 1
    return types.SimpleNamespace(
        words=words,
        tags=tags,
        texts=[" ".join(row) for row in words],
        spans=spans,
        lines=lines,
        path="rows.conll",
        origins=None,
    )
