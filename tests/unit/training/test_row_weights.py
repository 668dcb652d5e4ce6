"""`[data] weight` and `[data.labels]` reach the batches that train."""

import numpy as np
from helpers.toys import once
from kzoo_recipes import load

from kzoo.tasks import TASKS

pytestmark = once


def test_batches_carry_the_weights_of_their_rows(tmp_path):
    path = tmp_path / "rows.csv"
    weights = [(n % 4) / 2 for n in range(400)]
    lines = [f"row {n},{n % 2},{weight}" for n, weight in enumerate(weights)]
    path.write_text("\n".join(["text,label,trust", *lines]))
    settings = [f"data.train={path}", "data.weight=trust", "data.labels.0=no"]
    recipe = load("text_classifier", [*settings, "training.batch_size=16"])
    task = TASKS[recipe.task]()
    prepared = task.prepare(recipe)
    assert prepared.labels.names == ["1", "no"]
    train = prepared.splits["train"]
    batches = task.batches(recipe, prepared)
    kept = np.array(train.weights) > 0
    assert len(batches) == -(-kept.sum() // 16)
    batch = batches.at(0)
    expected = np.array(train.weights)[batch.rows]
    assert set(expected) == {0.5, 1.0, 1.5}
    np.testing.assert_allclose(batch.weights, expected / expected.sum(), rtol=1e-6)
    assert prepared.splits["dev"].weights is not None  # Split off, and not used.
