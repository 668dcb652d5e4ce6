"""`kzoo evaluate RUN`."""

from pathlib import Path

import click

from ..backend import backend_option, start_kzoo
from ..evaluation import show_evaluation
from ..files import check_target, written_whole
from ..options import bootstrap_options, layout_options, rows_options, told_layout
from ..output import note, print_json
from ..runs import backend_for, locate
from ..summary_evaluation import show_summaries
from ..tagging_evaluation import show_tagging

SHOWN = {
    "summarizer": show_summaries,
    "text_classifier": show_evaluation,
    "token_tagger": show_tagging,
}


@click.command()
@click.argument("run")
@backend_option
@rows_options
@layout_options
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
@click.option("--force", is_flag=True, help="Replace the report if it is there.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def evaluate(
    run, backend, split, data, resamples, seed, worst, html, force, as_json, **layout
):
    """Measure a saved model.

    RUN is a run's folder, a .keras file, zoo:NAME, or a recipe's name that has one run
    in saved_models. Runs on --backend, else on KERAS_BACKEND, else on the backend of
    the run.

    Intervals are percentiles of a bootstrap over rows, not stratified by label; a
    tagger's rows are sentences.
    """
    layout = told_layout(layout, data)
    run = locate(run)
    if html is not None:
        check_target(html, force)
    kzoo = start_kzoo(backend_for(run, backend))
    figures = kzoo.evaluate(
        run,
        split=split,
        data=data,
        resamples=resamples,
        seed=seed,
        worst=worst,
        **layout,
    )
    if html is not None:
        from kzoo.reports import PAGES

        with written_whole(html) as file:
            file.write(PAGES[figures["task"]](figures))
    if as_json:
        print_json(figures)
    else:
        SHOWN[figures["task"]](figures)
    if html is not None:
        note(f"Wrote {html}")
