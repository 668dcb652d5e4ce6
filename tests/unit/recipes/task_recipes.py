"""Valid recipes of tasks for the tests, as nested dicts."""

from tests.helpers.tables import merged


def summarizer(**changes):
    """A valid recipe with these keys added to its tables: `data={…}, model={…}`."""
    return merged(_valid("summarizer", "/train.csv"), changes)


def masked(**changes):
    """A valid recipe with these keys added to its tables: `data={…}, model={…}`."""
    return merged(_valid("masked_lm", "/train.txt"), changes)


def spans(**changes):
    """A valid recipe with these keys added to its tables: `data={…}, model={…}`."""
    return merged(_valid("span_corruption", "/train.txt"), changes)


def tagger(**changes):
    """A valid recipe with these keys added to its tables: `data={…}, model={…}`."""
    return merged(_valid("token_tagger", "/train.conll"), changes)


def pictured(**changes):
    """A valid recipe with these keys added to its tables: `data={…}, model={…}`."""
    return merged(_valid("image_text_classifier", "/train.csv"), changes)


def _valid(task, file):
    return {
        "task": task,
        "name": "mine",
        "data": {"train": file},
        "model": {
            "encoder": {
                "num_layers": 1,
                "num_heads": 2,
                "hidden_dim": 8,
                "intermediate_dim": 8,
            }
        },
    }
