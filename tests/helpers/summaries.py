"""Documents, references and predictions drawn from a few words."""

import numpy as np

from kzoo.data.pairs import PairedRows
from kzoo.metrics.summary_report import summary_report

VOCABULARY = (
    *("the", "a", "harbour", "ferry", "ferries", "ran", "running", "late", "again"),
    *("mayor", "opened", "12"),
)


def random_text(rng, most=14):
    """Words that often repeat, in one sentence or several."""
    words = [str(rng.choice(VOCABULARY)) for _ in range(rng.integers(1, most))]
    return "".join(
        word.capitalize() + (". " if rng.random() < 0.2 else " ") for word in words
    ).strip()


def random_summaries(rows=25, seed=0, most=3):
    """`documents`, `references` (up to `most` a row) and `predictions`, one empty."""
    rng = np.random.default_rng(seed)
    documents = [random_text(rng, 40) for _ in range(rows)]
    references = [
        [random_text(rng) for _ in range(rng.integers(1, most + 1))]
        for _ in range(rows)
    ]
    predictions = [random_text(rng) for _ in range(rows)]
    predictions[rows // 2] = " "
    return documents, references, predictions


def paired_rows(rows=25, seed=0, most=3):
    """`PairedRows` of these, and their predictions."""
    documents, references, predictions = random_summaries(rows, seed, most)
    found = PairedRows(
        documents=documents,
        summaries=[own[0] for own in references],
        references=references,
        lines=list(range(2, rows + 2)),
        path="rows.csv",
    )
    return found, predictions


def summary_figures(rows=12, text=None, **options):
    """What `kzoo.evaluate` gives of a summarizer; `text` stands in all texts."""
    found, predictions = paired_rows(rows)
    if text:
        predictions = [f"{text} {said}" for said in predictions]
        found.documents[:] = [f"{one} {text}" for one in found.documents]
        found.references[:] = [
            [f"{one} {text}" for one in own] for own in found.references
        ]
    cut = [row % 3 == 0 for row in range(rows)]
    options = {"resamples": 20, **options}
    return {
        "run": "runs/mine/jax",
        "source": "test split",
        "task": "summarizer",
        **summary_report(found, predictions, cut, **options),
        "generation": {"beams": 4, "max_new_tokens": 16, "length_penalty": 1.0},
    }
