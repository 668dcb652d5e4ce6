"""`kzoo evaluate RUN`."""

from pathlib import Path

import click

from ..backend import backend_option, start_kzoo
from ..evaluation import show_evaluation
from ..files import check_apart, check_target, written_whole
from ..filling import show_masked
from ..measuring import errors_name_options, summary_options, told_of_summaries
from ..options import bootstrap_options, layout_options, rows_options, told_layout
from ..output import note, print_json
from ..predictions import check_ending, write_predictions
from ..runs import backend_for, locate
from ..summary_evaluation import show_summaries
from ..tagging_evaluation import show_tagging

SHOWN = {
    "image_text_classifier": show_evaluation,
    "masked_lm": show_masked,
    "span_corruption": show_masked,
    "summarizer": show_summaries,
    "text_classifier": show_evaluation,
    "token_tagger": show_tagging,
}


@click.command()
@click.argument("run")
@backend_option
@rows_options
@layout_options
@summary_options
@bootstrap_options
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Errors to list: of highest loss, the most frequent; rows of lowest ROUGE-L.",
)
@click.option(
    "--html",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write a report that any browser shows, in one file.",
)
@click.option(
    "--predictions",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Of a summarizer: write every row with its prediction and scores, as .jsonl "
    "or .csv.",
)
@click.option("--force", is_flag=True, help="Replace files that are there.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def evaluate(
    run,
    backend,
    split,
    data,
    resamples,
    seed,
    worst,
    html,
    predictions,
    force,
    as_json,
    **others,
):
    """Measure a saved model.

    RUN is a run's folder, a .keras file, zoo:NAME, or a recipe's name that has one run
    in saved_models. Runs on --backend, else on KERAS_BACKEND, else on the backend of
    the run.

    Intervals are percentiles of a bootstrap over rows, not stratified by label; a
    tagger's rows are sentences.
    """
    told = told_of_summaries(others)
    told |= told_layout(others, data)
    run = locate(run)
    for path in filter(None, (html, predictions)):
        check_target(path, force)
    if predictions is not None:
        check_ending(predictions)
        check_apart(predictions, html, "--predictions")
        told["every_row"] = True
    kzoo = start_kzoo(backend_for(run, backend))
    with errors_name_options():
        figures = kzoo.evaluate(
            run,
            split=split,
            data=data,
            resamples=resamples,
            seed=seed,
            worst=worst,
            **told,
        )
    if predictions is not None:
        with written_whole(predictions) as file:
            write_predictions(predictions, figures.pop("every_row"), file)
    if html is not None:
        from kzoo.reports import PAGES

        with written_whole(html) as file:
            file.write(PAGES[figures["task"]](figures))
    if as_json:
        print_json(figures)
    else:
        SHOWN[figures["task"]](figures)
    for path in filter(None, (predictions, html)):
        note(f"Wrote {path}")
