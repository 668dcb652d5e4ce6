"""What a recipe can train: one explicit dict.

A task is a small class without state:

    prepared = task.prepare(recipe)                # texts become numbers
    model = task.build(recipe, prepared)
    batches = task.batches(recipe, prepared)       # for training
    name, options = task.loss(recipe, prepared)    # of `kzoo.training.losses`
    notes = task.finish(recipe, model, predict, prepared)      # after training
    metrics = task.evaluate(model, stepper, prepared, split, batch_size)
    answers = task.predict(model, texts)

`prepared` has `tokenizer`, `labels`, `sequence_length`, `notes` and `splits`, whose
`numbers()` are what a run depends on. While it trains, `evaluate` is asked with
`quick=True` for a look that need not be whole. For `kzoo parity` there are
`task.sequences`, the token ids of a split as the model reads them, and `task.decide`,
what it makes of some; where a model reads more than texts, `task.completed` adds it to
inputs. `task.measured` names what `stepper.measure` tells, in `LOSSES`,
if it is not the loss.
"""

from kzoo.tasks.image_text_classifier import ImageTextClassification
from kzoo.tasks.masked_lm import MaskedLanguageModelling
from kzoo.tasks.span_corruption import SpanCorruption
from kzoo.tasks.summarizer import Summarization
from kzoo.tasks.text_classifier import TextClassification
from kzoo.tasks.token_tagger import TokenTagging

TASKS = {
    "text_classifier": TextClassification,
    "token_tagger": TokenTagging,
    "summarizer": Summarization,
    "masked_lm": MaskedLanguageModelling,
    "span_corruption": SpanCorruption,
    "image_text_classifier": ImageTextClassification,
}

__all__ = [
    "TASKS",
    "ImageTextClassification",
    "MaskedLanguageModelling",
    "SpanCorruption",
    "Summarization",
    "TextClassification",
    "TokenTagging",
]
