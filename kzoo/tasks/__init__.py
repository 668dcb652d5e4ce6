"""What a recipe can train: one explicit dict.

A task is a small class without state:

    prepared = task.prepare(recipe)                # texts become numbers
    model = task.build(recipe, prepared)
    batches = task.batches(recipe, prepared)       # for training
    name, options = task.loss(recipe, prepared)    # of `kzoo.training.losses`
    notes = task.finish(recipe, model, predict, prepared)      # after training
    metrics = task.evaluate(predict, prepared, split, batch_size, model.thresholds)
    answers = task.predict(model, texts)
"""

from kzoo.tasks.text_classifier import TextClassification

TASKS = {"text_classifier": TextClassification}

__all__ = ["TASKS", "TextClassification"]
