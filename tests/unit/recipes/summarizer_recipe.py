"""A valid recipe of a summarizer for the tests, as nested dicts."""

import copy

_VALID = {
    "task": "summarizer",
    "name": "mine",
    "data": {"train": "/train.csv"},
    "model": {
        "encoder": {
            "num_layers": 1,
            "num_heads": 2,
            "hidden_dim": 8,
            "intermediate_dim": 8,
        }
    },
}


def summarizer(**tables):
    """A valid recipe with these keys added to its tables: `data={…}, model={…}`."""
    recipe = copy.deepcopy(_VALID)
    for name, table in tables.items():
        merge = isinstance(table, dict)
        recipe[name] = recipe.get(name, {}) | table if merge else table
    return recipe
