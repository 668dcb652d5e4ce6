"""Random tags, by any scheme and against it."""

import numpy as np

from kzoo.data.schemes import PREFIXES
from kzoo.data.tagged import TaggedRows
from kzoo.metrics.tagging_report import tagging_report


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


def tagged_rows(tags, words=None, **fields):
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
    return TaggedRows(
        words=words,
        tags=tags,
        texts=[" ".join(row) for row in words],
        spans=spans,
        lines=lines,
        path="rows.conll",
        **fields,
    )


def tagging_figures(scheme="iob2", words=None, **options):
    """What `kzoo.evaluate` gives of a tagger for random tags."""
    drawn = "iob2" if scheme == "plain" else scheme
    gold, said = random_tags(drawn, rows=25, seed=4)
    if words:  # One of them for every word.
        words = [[words[place % len(words)] for place in range(len(r))] for r in gold]
    labels = sorted({tag for row in gold for tag in row})
    scores = [[(at + 1) / (len(row) + 1) for at in range(len(row))] for row in gold]
    rows = tagged_rows(gold, words)
    options = {"resamples": 20, **options}
    found = tagging_report(rows, gold, said, scores, scheme, labels, **options)
    named = {"run": "runs/mine/jax", "source": "test split", "task": "token_tagger"}
    return {**named, **found}
