"""Two saved models on the same rows."""

from kzoo_recipes import KzooError, recipe_beside

from kzoo.metrics.comparison import CHANGED
from kzoo.metrics.report import RESAMPLES
from kzoo.models import load_model
from kzoo.training.answers import ask, check_counts, rows_for, task_of
from kzoo.training.contestants import CONTESTS
from kzoo.training.evaluation import DOES, answering, reading
from kzoo.training.history import plain


def compare(
    first,
    second,
    split="test",
    data=None,
    batch_size=64,
    resamples=RESAMPLES,
    seed=0,
    changed=CHANGED,
    generation=None,
    rouge_tokenizer=None,
    stemmer=None,
    **layout,
):
    """How two saved models differ on the same rows, and how sure that is.

    Args:
        first: str or `Path`. A run folder, a `.keras` file or `"zoo:NAME"`.
        second: str or `Path`. Another one. It may be of another backend.
        split: str. Which rows of the runs' own recipes to use; where only one has a
            recipe beside it, the rows are that one's.
        data: str or `Path`. Files to use instead, as for `kzoo.evaluate`, read as the
            first run's recipe says.
        batch_size: int. How many texts at once.
        resamples: int. Draws of the paired bootstrap; 0 leaves intervals out.
        seed: int. Of these draws.
        changed: int. How many rows to list of those that changed sides, each way.
        generation: dict, as for `kzoo.evaluate`, of both; what it does not say is as
            saved with each.
        rouge_tokenizer: str. As for `kzoo.evaluate`; where it is not told, as in the
            first run's recipe.
        stemmer: bool. As for `kzoo.evaluate`.
        **layout: as for `kzoo.evaluate`.

    Returns:
        dict that JSON can hold: `first` and `second`, the names of the models,
        `source`, `task`, `notes`, and what `kzoo.metrics` gives:
        `comparison.comparison` of classifiers, `multi_label_comparison` where models
        give any number of labels, `tagging_comparison` of taggers,
        `summary_comparison` of summarizers, with how each wrote, `generation`.

    Raises:
        KzooError: if there is no such run or file, the runs' rows are not the same, or
            the models answer other questions: another task, other labels, or only one
            of them any number of labels.
        ValueError: if a number is out of range.
    """
    check_counts(
        batch_size=(batch_size, 1), resamples=(resamples, 0), changed=(changed, 0)
    )
    runs = (first, second)
    models = [load_model(run) for run in runs]
    task = _task(runs, models)
    reader = CONTESTS[task].reader(models)
    layout = reading(models[reader], runs[reader], layout)
    measured = {"rouge_tokenizer": rouge_tokenizer, "stemmer": stemmer}
    both = list(zip(models, runs, strict=True))
    answered = [answering(model, run, generation, measured) for model, run in both]
    rows, source = _shared_rows(task, runs, split, data, layout, reader)
    found = [
        ask(model, run, rows, source, batch_size, **how)
        for (model, run), (how, _) in zip(both, answered, strict=True)
    ]
    options, scoring = (resamples, seed, changed), answered[0][1]
    figures = CONTESTS[task].figures(models, found, options, **scoring)
    return plain(
        {
            "first": str(first),
            "second": str(second),
            "source": source,
            "task": task,
            **figures,
            "notes": [*figures.get("notes", ()), *_notes(*found)],
        }
    )


def _notes(first, second):
    """What was done to the rows: for both models once, else with the model's name."""
    both = [note for note in first.notes if note in second.notes]
    return both + [
        f"{one.run}: {note}"
        for one in (first, second)
        for note in one.notes
        if note not in both
    ]


def _task(runs, models):
    """What two models can be compared in, a key of `CONTESTS`.

    Raises:
        KzooError: if they cannot; it says why.
    """
    task, other = (task_of(model) for model in models)
    if task != other:
        reason = f"{runs[0]} {DOES[task]}, {runs[1]} {DOES[other]}"
    else:
        reason = CONTESTS[task].obstacle(runs, models)
    if reason:
        raise KzooError(f"{runs[0]} and {runs[1]} cannot be compared: {reason}.")
    return task


def _shared_rows(task, runs, split, data, layout, reader):
    """The rows to ask both about.

    Raises:
        KzooError: if the rows of the two runs' recipes differ; it says where.
    """
    if data is not None:
        return rows_for(runs[0], split, data, layout, task)
    having = [run for run in runs if recipe_beside(run) is not None]
    if len(having) < 2:
        return rows_for(having[0] if having else runs[0], split, None, layout, task)
    (rows, source), (others, _) = (rows_for(run, split, None, {}, task) for run in runs)
    reason = _first_difference(CONTESTS[task], rows, others)
    if reason:
        raise KzooError(
            f"{runs[0]} and {runs[1]} cannot be compared on their {source}s: {reason}; "
            "name rows for both with --data FILE."
        )
    return (rows, others)[reader], source


def _first_difference(contest, rows, others):
    """What makes two sets of rows different, in words, or `None`."""
    if len(rows) != len(others):
        return f"the first has {len(rows):,} rows, the second {len(others):,}"
    for row, texts in enumerate(zip(rows.texts, others.texts, strict=True)):
        if texts[0] != texts[1]:
            places = f"{rows.where(row)}, and {others.where(row)}"
            return f"row {row + 1} has another text in each ({places})"
        reason = contest.difference(rows, others, row)
        if reason:
            return reason
    return None
