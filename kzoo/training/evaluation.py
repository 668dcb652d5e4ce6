"""Measuring a saved model, on its own rows or on others."""

from kzoo_recipes import KzooError

from kzoo.metrics.masked_report import masked_report
from kzoo.metrics.multi_label_report import multi_label_report
from kzoo.metrics.report import RESAMPLES, WORST, report
from kzoo.metrics.summary_report import summary_report
from kzoo.metrics.tagging_report import tagging_report
from kzoo.models import load_model
from kzoo.training.answers import ask, check_counts, rows_for, task_of
from kzoo.training.history import plain
from kzoo.training.summaries import in_words, scoring_for, settings_of


def evaluate(
    run,
    split="test",
    data=None,
    batch_size=64,
    resamples=RESAMPLES,
    seed=0,
    worst=WORST,
    generation=None,
    rouge_tokenizer=None,
    stemmer=None,
    every_row=False,
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
        worst: int. How many errors to list; of a summarizer rows, of the worst and of
            the best.
        generation: dict of fields of `kzoo.generation.Generation`: how a summarizer is
            to write, where not as saved with it.
        rouge_tokenizer: str. What ROUGE takes for words, where not as in the run's
            recipe; see `kzoo.metrics.summary_metrics`.
        stemmer: bool. Whether ROUGE sees stems; likewise.
        every_row: bool. Whether to hand back each row of a summarizer, too, with what
            it wrote and the scores of that.
        **layout: `text`, `label`, `format` and `encoding` of `data`, in place of the
            recipe's; see `kzoo.data.Layout`. Of a tagger `words`, `tags`, `scheme` and
            more; see `kzoo.data.tagged.TaggedLayout`. Of a summarizer `document`,
            `summary` and `references`; see `kzoo.data.pairs.PairedLayout`.

    Returns:
        dict that JSON can hold: `run`, `source` (the split or file) and `task`, and the
        metrics by name, as "dev" and "test" in `metrics.json`, with `intervals`,
        `per_class`, `worst`, `notes` and more. `kzoo.metrics` says what:
        `report.report` of a classifier, `multi_label_report` where a row has any number
        of labels, `tagging_report` of a tagger, `masked_report` of a masked language
        model or one that writes missing spans, `summary_report` of a summarizer, with
        its `loss` and how it wrote, `generation`.

    Raises:
        KzooError: if there is no such run, split or file, or `layout` or `generation`
            does not fit.
        ValueError: if a number is out of range.
    """
    check_counts(batch_size=(batch_size, 1), resamples=(resamples, 0), worst=(worst, 0))
    model = load_model(run)
    task = task_of(model)
    told = {"rouge_tokenizer": rouge_tokenizer, "stemmer": stemmer}
    more = {"every_row": True} if every_row else {}
    how, scoring = answering(model, run, generation, told | more, loss=True)
    rows, source = rows_for(run, split, data, reading(model, run, layout), task)
    found = ask(model, run, rows, source, batch_size, **how)
    figures = REPORTS[task](model, found, (resamples, seed, worst), **scoring)
    figures["notes"] = [*found.notes, *figures["notes"]]
    return plain({"run": found.run, "source": source, "task": task, **figures})


def reading(model, run, told):
    """How files that a model is asked about are written: as told, else as fits it.

    Args:
        model: a kzoo model.
        run: str or `Path`. What it is called.
        told: dict of fields of the task's layout.

    Raises:
        KzooError: if something was told that rows of this task do not have, or that
            their tags mark entities and the model's do not, or the reverse.
    """
    task = task_of(model)
    own = LAYOUTS[task](model)
    strangers = [key for key in told if key not in {*own, *FIELDS[task]}]
    if strangers:
        named = " and ".join(f"--{key.replace('_', '-')}" for key in strangers)
        say = "says" if len(strangers) == 1 else "say"
        raise KzooError(f"{run} {DOES[task]}: {named} {say} nothing about its rows.")
    scheme = told.get("scheme", "auto")
    if scheme == "auto":
        return own | {key: value for key, value in told.items() if key != "scheme"}
    if (scheme == "plain") != (model.scheme == "plain"):
        does, others, hint = "finds entities", "mark none", "name rows with entities"
        if model.scheme == "plain":
            does, others = "has a plain tag for each word", "mark entities"
            hint = "leave --scheme out, so that tags are read as they are"
        raise KzooError(
            f"{run} {does}: tags in --scheme {scheme} {others}, so it cannot be "
            f"measured on them; {hint}, or name another model."
        )
    return own | told


def answering(model, run, generation, measured, loss=False):
    """How a model is asked, and how what it answers is measured.

    Args:
        model: a kzoo model.
        run: str or `Path`. What it is called.
        generation: dict of fields of `Generation`, or `None`.
        measured: dict of what was told of measuring; `None` was not told.
        loss: bool. Whether to measure it.

    Returns:
        pair of dicts, both empty but for summarizers: of `ask`, and of `REPORTS`.

    Raises:
        KzooError: if something was told that other models do not have, or that this
            one cannot do.
    """
    measured = {name: value for name, value in measured.items() if value is not None}
    task, told = task_of(model), [*(generation or {}), *measured]
    if task == "summarizer":
        settings = settings_of(model, run, generation or {})
        return {"settings": settings, "loss": loss}, scoring_for(run, measured)
    if told:
        named = " and ".join(f"`{name}`" for name in told)
        say = "is" if len(told) == 1 else "are"
        raise KzooError(f"{run} {DOES[task]}: {named} {say} of summarizers only.")
    return {}, {}


def _of_classifier(model, found, options):
    said = found.rows, found.labels, found.logits, found.names
    if model.multi_label:
        return multi_label_report(*said, model.thresholds, *options)
    return report(*said, *options)


def _of_tagger(model, found, options):
    return tagging_report(
        found.rows,
        found.gold,
        found.predicted,
        found.scores,
        found.scheme,
        found.names,
        *options,
    )


def _of_masked(model, found, options):
    return masked_report(found, *options)


def _of_summarizer(model, found, options, **scoring):
    said = found.rows, found.predictions, found.truncated
    names = ("resamples", "seed", "worst")
    options = dict(zip(names, options, strict=True))
    figures = summary_report(*said, **options, **scoring)
    # First the figures, as everywhere; the loss is one without an interval.
    return {
        **{name: one for name, one in figures.items() if isinstance(one, float)},
        "loss": found.loss,
        **figures,
        "generation": in_words(found.settings),
    }


def _tags_of(model):
    """Plain tags look like those of no scheme, so they are not looked for."""
    learned = {"learn_scheme": model.scheme}
    return learned | ({"scheme": "plain"} if model.scheme == "plain" else {})


DOES = {
    "image_text_classifier": "labels texts with pictures",
    "masked_lm": "finds hidden tokens",
    "span_corruption": "writes missing spans",
    "summarizer": "summarizes texts",
    "text_classifier": "labels texts",
    "token_tagger": "tags words",
}
COMMON = ("text", "format", "encoding")
FIELDS = {
    "image_text_classifier": (*COMMON, "image", "label", "delimiter"),
    "masked_lm": (*COMMON, "delimiter"),
    "span_corruption": (*COMMON, "delimiter"),
    "summarizer": (*COMMON, "document", "summary", "references", "delimiter"),
    "text_classifier": (*COMMON, "label", "label_separator", "delimiter"),
    "token_tagger": (*COMMON, "words", "tags", "columns", "spans", "scheme", "invalid"),
}
LAYOUTS = {
    "image_text_classifier": lambda model: {},
    "masked_lm": lambda model: {},
    "span_corruption": lambda model: {},
    "summarizer": lambda model: {},
    "text_classifier": lambda model: {"multi_label": model.multi_label},
    "token_tagger": _tags_of,
}
REPORTS = {
    "image_text_classifier": _of_classifier,
    "masked_lm": _of_masked,
    "span_corruption": _of_masked,
    "summarizer": _of_summarizer,
    "text_classifier": _of_classifier,
    "token_tagger": _of_tagger,
}
