"""A saved summarizer asked about rows whose summaries are known."""

import dataclasses

from kzoo_recipes import KzooError, recipe_beside

from kzoo.data.pairs import PairedRows
from kzoo.generation import Generation
from kzoo.metrics.rouge_words import ROUGE_SCORE
from kzoo.tasks import TASKS
from kzoo.tasks.pairs import MEASURED, Frame
from kzoo.tasks.summarizer import mean_loss
from kzoo.training.losses import make_loss
from kzoo.training.steppers import make_stepper

ALWAYS = ("beams", "max_new_tokens")  # said even where they are as always


@dataclasses.dataclass(frozen=True)
class SummaryAnswers:
    """Rows and what a summarizer wrote about them.

    Attributes:
        run: str. The model, as it was named.
        source: str. What the rows are: a split or a file.
        rows: `PairedRows`.
        predictions: list of str.
        truncated: list of bool, whether a document was cut.
        loss: float. The mean surprise at a token of the summaries, in nats; `None`
            if it was not asked for.
        settings: `Generation`. How the predictions were written.
        notes: list of str. What was done to the rows and what the model did.
    """

    run: str
    source: str
    rows: PairedRows
    predictions: list
    truncated: list
    loss: float
    settings: Generation
    notes: list


def ask_summarizer(model, run, rows, source, batch_size, settings, loss=False):
    """What the model of `run` writes about `rows`: `SummaryAnswers`."""
    task = TASKS["summarizer"]()
    prepared = task.encode(
        {source: rows},
        model.tokenizer,
        model.source_length,
        model.target_length,
        model.truncate,
        model.memory,
        frame=Frame.of(
            *(model.tokenizer, model.start_id, model.end_id),
            model.settings().forced_first,
        ),
    )
    read = prepared.splits[source].read
    answers = model.answers(rows.documents, settings, batch_size, encoded=read)
    return SummaryAnswers(
        run=str(run),
        source=source,
        rows=rows,
        predictions=[answer["summary"] for answer in answers],
        truncated=[answer["truncated"] for answer in answers],
        loss=_loss(model, prepared, source, batch_size) if loss else None,
        settings=settings,
        notes=[
            *(f"{source}: {note}" for note in rows.notes),
            *prepared.notes,
            *(
                f"{source}: {note}"
                for note in notes_on(answers, settings.max_new_tokens)
            ),
        ],
    )


def _loss(model, prepared, source, batch_size):
    loss = make_loss("copy" if model.copies else "cross_entropy")
    pairs = prepared.pairs(source, most=MEASURED)
    return mean_loss(make_stepper(model, measured=loss), pairs, batch_size)


def notes_on(answers, most):
    """What is to be known of what was written, in words.

    Args:
        answers: list of dicts, of a summarizer.
        most: int. The most tokens that a summary may have.
    """
    notes = []
    unended = sum(not answer["finished"] for answer in answers)
    if unended:
        what = "1 summary" if unended == 1 else f"{unended:,} summaries"
        notes.append(f"{what} did not end within {most:,} tokens")
    unknown = sum(answer["unknown"] for answer in answers)
    if unknown:
        what = "1 document has" if unknown == 1 else f"{unknown:,} documents have"
        notes.append(f"{what} no token that the model knows")
    return notes


def settings_of(model, run, told):
    """How a summarizer is to write: as told, else as saved with it.

    Args:
        model: `Seq2Seq`.
        run: str or `Path`. What it is called.
        told: dict of fields of `Generation`.

    Raises:
        KzooError: if what was told does not go together, or not with the model.
    """
    try:
        settings = model.settings(**told)
        if settings.nbest > 1:
            raise ValueError(
                "One summary of each document is measured. "
                f"Received: nbest={settings.nbest}"
            )
    except ValueError as error:
        raise KzooError(f"{run} cannot be asked so: {error}") from None
    return settings


def in_words(settings):
    """What is told of settings: those that are not as always, `beams`, and the length.

    Returns:
        dict that JSON can hold.
    """
    fields = dataclasses.fields(settings)
    return {
        field.name: getattr(settings, field.name)
        for field in fields
        if field.name in ALWAYS or getattr(settings, field.name) != field.default
    }


def scoring_for(run, told):
    """How ROUGE is to be computed: as told, else as the run's recipe has it.

    Args:
        run: str or `Path`. A run, with a recipe beside it or without.
        told: dict of `rouge_tokenizer` and whatever else a report takes.

    Returns:
        dict, for `kzoo.metrics.summary_report`.
    """
    told = dict(told)
    tokenizer = told.pop("rouge_tokenizer", None)
    if tokenizer is None:
        recipe = recipe_beside(run)
        tokenizer = recipe.training.rouge_tokenizer if recipe else ROUGE_SCORE
    return {"tokenizer": tokenizer, **told}
