"""What a recipe can train: one explicit dict.

A task is a small class without state:

    prepared = task.prepare(recipe)                # texts become numbers
    model = task.build(recipe, prepared)
    batches = task.batches(recipe, prepared)       # for training
    metrics = task.evaluate(predict, prepared, split, batch_size)
    answers = task.predict(model, texts)

`task.loss` names its loss in `kzoo.training.losses`.
"""

from kzoo.tasks.text_classifier import TextClassification

TASKS = {"text_classifier": TextClassification}

__all__ = ["TASKS", "TextClassification"]
