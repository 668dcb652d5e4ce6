"""Documents, references and predictions drawn from a few words."""

import numpy as np

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
