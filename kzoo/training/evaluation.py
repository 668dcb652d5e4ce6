"""Measuring a saved model, on its own rows or on others."""

from kzoo.metrics.multi_label_report import multi_label_report
from kzoo.metrics.report import RESAMPLES, WORST, report
from kzoo.models import load_model
from kzoo.training.answers import ask, check_counts, rows_for
from kzoo.training.history import plain


def evaluate(
    run,
    split="test",
    data=None,
    batch_size=64,
    resamples=RESAMPLES,
    seed=0,
    worst=WORST,
    **layout,
):
    """Metrics of a saved model, how sure they are, and where it errs.

    Args:
        run: str or `Path`. A run folder, a `.keras` file or `"zoo:NAME"`.
        split: str. Which rows of the run's own recipe to use.
        data: str or `Path`. Files to use instead, as for `kzoo.data.read`; columns,
            encoding and `[data.labels]` are those of the run's recipe, or the defaults
            if there is none. Its format is that of files that end like its own.
        batch_size: int. How many texts at once.
        resamples: int. Draws of the bootstrap for the intervals; 0 makes none.
        seed: int. Of these draws.
        worst: int. How many errors to list.
        **layout: `text`, `label`, `format` and `encoding` of `data`, in place of the
            recipe's; see `kzoo.data.Layout`.

    Returns:
        dict that JSON can hold: `run` and `source` (the split or file), and what
        `kzoo.metrics.report.report` gives: the metrics by name, as "dev" and "test"
        in `metrics.json`, `intervals`, `per_class`, `confusion`, `calibration`,
        `worst` and `notes`; or, where a row has any number of labels, what
        `kzoo.metrics.multi_label_report` gives, without these two drawings.

    Raises:
        KzooError: if there is no such run, split or file.
        ValueError: if a number is out of range.
    """
    check_counts(batch_size=(batch_size, 1), resamples=(resamples, 0), worst=(worst, 0))
    model = load_model(run)
    layout = {"multi_label": model.multi_label, **layout}
    rows, source = rows_for(run, split, data, layout)
    found = ask(model, run, rows, source, batch_size)
    said = found.rows, found.labels, found.logits, found.names
    if model.multi_label:
        figures = multi_label_report(*said, model.thresholds, resamples, seed, worst)
    else:
        figures = report(*said, resamples, seed, worst)
    figures["notes"] = [*found.notes, *figures["notes"]]
    return plain({"run": found.run, "source": source, **figures})
