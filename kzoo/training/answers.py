"""A saved model asked about rows whose labels are known."""

import dataclasses
import functools

import numpy as np
from kzoo_recipes import (
    ClassifierData,
    ImageTextData,
    KzooError,
    SummarizerData,
    TaggerData,
    TextData,
    recipe_beside,
)

from kzoo.data import LabelSet, load_splits, read
from kzoo.data.pairs import PairedLayout, load_paired_splits, read_paired
from kzoo.data.pictured import (
    PicturedLayout,
    load_pictured_splits,
    read_pictured,
)
from kzoo.data.readers import Layout, Rows
from kzoo.data.tagged import (
    TaggedLayout,
    TaggedRows,
    load_tagged_splits,
    read_tagged,
)
from kzoo.data.texts import TextLayout, load_text_splits, read_texts
from kzoo.models import (
    ImageTextClassifier,
    MaskedLM,
    Seq2Seq,
    TextClassifier,
    TokenTagger,
)
from kzoo.tasks import TASKS
from kzoo.training.masked import ask_masked
from kzoo.training.steppers import make_stepper
from kzoo.training.summaries import ask_summarizer

TASK_OF = {
    ImageTextClassifier: "image_text_classifier",
    MaskedLM: "masked_lm",
    Seq2Seq: "summarizer",
    TextClassifier: "text_classifier",
    TokenTagger: "token_tagger",
}


def task_of(model):
    """The key of `kzoo.tasks.TASKS` that a model of kzoo was made for.

    Raises:
        KzooError: if no recipe makes such models, so that no command asks them.
    """
    if getattr(model, "corruption", None) is not None:
        return "span_corruption"
    if type(model) not in TASK_OF:
        raise KzooError(
            f"Models of the class {type(model).__name__} are asked in Python, by their "
            "methods; commands ask those that recipes make."
        )
    return TASK_OF[type(model)]


@dataclasses.dataclass(frozen=True)
class Answered:
    """Rows and what a model said about them.

    Attributes:
        run: str. The model, as it was named.
        source: str. What the rows are: a split or a file.
        rows: `Rows`.
        labels: int32 `(rows,)`, or uint8 `(rows, classes)` of 0 and 1.
        logits: float32 `(rows, classes)`.
        names: list of str, one per class.
        notes: list of str. What was done to the texts.
    """

    run: str
    source: str
    rows: Rows
    labels: np.ndarray
    logits: np.ndarray
    names: list
    notes: list


@dataclasses.dataclass(frozen=True)
class TaggedAnswers:
    """Rows of tagged words and what a model said about them.

    Attributes:
        run: str. The model, as it was named.
        source: str. What the rows are: a split or a file.
        rows: `TaggedRows`.
        gold: list of list of str, the tags of the rows in the model's scheme.
        predicted: list of list of str.
        scores: list of float64 `(W,)`, the probability of each predicted tag.
        names: list of str, the model's tags.
        scheme: str. That of the model.
        notes: list of str. What was done to the rows, by their reader first.
    """

    run: str
    source: str
    rows: TaggedRows
    gold: list
    predicted: list
    scores: list
    names: list
    scheme: str
    notes: list


def rows_for(run, split, data, layout, task="text_classifier"):
    """The rows to ask about, and what they are called.

    Args:
        run: str or `Path`. A run folder, a `.keras` file or `"zoo:NAME"`.
        split: str. Which rows of the run's own recipe to use.
        data: str or `Path`. Files to use instead, as for `kzoo.data.read`.
        layout: dict. How `data` is written, where it is not as the recipe says.
        task: str. What the run's model does.

    Raises:
        KzooError: if there is no such split or file, or no recipe beside the run.
    """
    recipe = recipe_beside(run)
    if data is not None:
        own = None if recipe is None else recipe.data
        return ROWS[task](own, data, layout), str(data)
    if recipe is None:
        raise KzooError(
            f"{run} has no recipe.toml beside it: name a file of rows with --data FILE."
        )
    splits = SPLITS[task](recipe.data)
    if split not in splits:
        raise KzooError(f'there is no split "{split}"; there are {", ".join(splits)}.')
    return splits[split], f"{split} split"


def _classified(own, data, layout):
    own = own or ClassifierData()
    return read(data, Layout.like(own, data, layout)).renamed(own.labels)


def _pictured(own, data, layout):
    own = own or ImageTextData()
    found = read_pictured(data, PicturedLayout.like(own, data, layout))
    return found.renamed(own.labels)


def _tagged(own, data, layout):
    return read_tagged(data, TaggedLayout.like(own or TaggerData(), data, layout))


def _paired(own, data, layout):
    return read_paired(data, PairedLayout.like(own or SummarizerData(), data, layout))


def _alone(own, data, layout):
    return read_texts(data, TextLayout.like(own or TextData(), data, layout))


ROWS = {
    "image_text_classifier": _pictured,
    "masked_lm": _alone,
    "span_corruption": _alone,
    "summarizer": _paired,
    "text_classifier": _classified,
    "token_tagger": _tagged,
}
SPLITS = {
    "image_text_classifier": load_pictured_splits,
    "masked_lm": load_text_splits,
    "span_corruption": load_text_splits,
    "summarizer": load_paired_splits,
    "text_classifier": load_splits,
    "token_tagger": load_tagged_splits,
}


def ask(model, run, rows, source, batch_size, **how):
    """What the model of `run` says about `rows`.

    Args:
        **how: of a summarizer `settings`, a `Generation`, and `loss`, whether to
            measure it.

    Returns:
        `Answered`, `TaggedAnswers`, `kzoo.training.summaries.SummaryAnswers` or
        `kzoo.training.masked.MaskedAnswers`.
    """
    return ASK[task_of(model)](model, run, rows, source, batch_size, **how)


def _ask_classifier(model, run, rows, source, batch_size):
    task = TASKS[task_of(model)]()
    labels = LabelSet(model.labels, model.multi_label)
    more = [model.images] if isinstance(model, ImageTextClassifier) else []
    prepared = task.encode(
        {source: rows}, model.tokenizer, labels, model.sequence_length, *more
    )
    logits = task.logits(make_stepper(model).predict, prepared, source, batch_size)
    return Answered(
        run=str(run),
        source=source,
        rows=rows,
        labels=prepared.splits[source].labels,
        logits=logits,
        names=list(model.labels),
        notes=prepared.notes,
    )


def _ask_tagger(model, run, rows, source, batch_size):
    task, names = TASKS["token_tagger"](), list(model.labels)
    prepared = task.encode(
        {source: rows},
        model.tokenizer,
        LabelSet(names),
        model.scheme,
        model.sequence_length,
        model.overlap,
    )
    predict = make_stepper(model).predict
    _, found = task.answers(predict, prepared, source, batch_size)
    return TaggedAnswers(
        run=str(run),
        source=source,
        rows=rows,
        gold=prepared.splits[source].tags,
        predicted=[[names[label] for label in labels] for labels, _ in found],
        scores=[shares[np.arange(len(labels)), labels] for labels, shares in found],
        names=names,
        scheme=model.scheme,
        notes=[*(f"{source}: {note}" for note in rows.notes), *prepared.notes],
    )


ASK = {
    "image_text_classifier": _ask_classifier,
    "masked_lm": ask_masked,
    "span_corruption": functools.partial(ask_masked, name="span_corruption"),
    "summarizer": ask_summarizer,
    "text_classifier": _ask_classifier,
    "token_tagger": _ask_tagger,
}


def check_counts(**counts):
    """Raise a `ValueError` about the first count that is too small.

    Args:
        **counts: pair of an int and the least it may be, by name.
    """
    for name, (value, least) in counts.items():
        if value < least:
            raise ValueError(
                f"`{name}` must be at least {least}. Received: {name}={value}"
            )
