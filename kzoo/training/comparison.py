"""Two saved models on the same rows."""

from kzoo_recipes import KzooError, recipe_beside

from kzoo.metrics.comparison import CHANGED, comparison
from kzoo.metrics.multi_label_comparison import multi_label_comparison
from kzoo.metrics.report import RESAMPLES
from kzoo.models import load_model
from kzoo.training.answers import ask, check_counts, rows_for
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
        **layout: as for `kzoo.evaluate`.

    Returns:
        dict that JSON can hold: `first` and `second`, the names of the models,
        `source`, and what `kzoo.metrics.comparison.comparison` gives, or
        `multi_label_comparison` where models give any number of labels.

    Raises:
        KzooError: if there is no such run or file, the runs' rows are not the same, or
            the models tell other labels apart, or only one of them gives any number
            of labels.
        ValueError: if a number is out of range.
    """
    check_counts(
        batch_size=(batch_size, 1), resamples=(resamples, 0), changed=(changed, 0)
    )
    runs = (first, second)
    models = [load_model(run) for run in runs]
    _check_labels(runs, models)
    layout = {"multi_label": models[0].multi_label, **layout}
    rows, source = _shared_rows(runs, split, data, layout)
    found = [
        ask(model, run, rows, source, batch_size)
        for model, run in zip(models, runs, strict=True)
    ]
    names = found[0].names
    order = [found[1].names.index(name) for name in names]
    said = rows, found[0].labels, (found[0].logits, found[1].logits[:, order]), names
    if models[0].multi_label:
        second = [models[1].thresholds[place] for place in order]
        thresholds = (models[0].thresholds, second)
        figures = multi_label_comparison(*said, thresholds, resamples, seed, changed)
    else:
        figures = comparison(*said, resamples, seed, changed)
    notes = [f"{one.run}: {note}" for one in found for note in one.notes]
    return plain(
        {
            "first": str(first),
            "second": str(second),
            "source": source,
            **figures,
            "notes": notes,
        }
    )


def _check_labels(runs, models):
    if models[0].multi_label != models[1].multi_label:
        several, one = runs if models[0].multi_label else reversed(runs)
        raise KzooError(
            f"{runs[0]} and {runs[1]} cannot be compared: {several} gives any number "
            f"of labels to a row, {one} exactly one."
        )
    own = [set(model.labels) for model in models]
    if own[0] != own[1]:
        apart = sorted(own[0] ^ own[1])
        holder = runs[0] if apart[0] in own[0] else runs[1]
        raise KzooError(
            f"{runs[0]} and {runs[1]} cannot be compared: their labels differ; only "
            f'{holder} knows "{apart[0]}".'
        )


def _shared_rows(runs, split, data, layout):
    """The rows to ask both about.

    Raises:
        KzooError: if the rows of the two runs' recipes differ; it says where.
    """
    if data is not None:
        return rows_for(runs[0], split, data, layout)
    having = [run for run in runs if recipe_beside(run) is not None]
    if len(having) < 2:
        return rows_for(having[0] if having else runs[0], split, None, layout)
    (rows, source), (others, _) = (rows_for(run, split, None, {}) for run in runs)
    reason = _first_difference(rows, others)
    if reason:
        raise KzooError(
            f"{runs[0]} and {runs[1]} cannot be compared on their {source}s: {reason}; "
            "name rows for both with --data FILE."
        )
    return rows, source


def _first_difference(rows, others):
    """What makes two sets of rows different, in words, or `None`."""
    if len(rows) != len(others):
        return f"the first has {len(rows):,} rows, the second {len(others):,}"
    for row, texts in enumerate(zip(rows.texts, others.texts, strict=True)):
        if texts[0] != texts[1]:
            places = f"{rows.where(row)}, and {others.where(row)}"
            return f"row {row + 1} has another text in each ({places})"
        if rows.labels[row] != others.labels[row]:
            return (
                f"row {row + 1} is labelled {_shown(rows.labels[row])} in the first "
                f"and {_shown(others.labels[row])} in the second"
            )
    return None


def _shown(labels):
    """A label, or several, as a person would write them."""
    labels = [labels] if isinstance(labels, str) else labels
    return ", ".join(f'"{label}"' for label in labels) or "not at all"
