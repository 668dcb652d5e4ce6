"""`kzoo compare A B`."""

import click

from ..backend import backend_option, start_kzoo
from ..comparison import show_comparison
from ..filling import show_masked_comparison
from ..measuring import errors_name_options, summary_options, told_of_summaries
from ..options import bootstrap_options, layout_options, rows_options, told_layout
from ..output import print_json
from ..runs import backend_for, locate
from ..summary_comparison import show_summary_comparison
from ..tagging_comparison import show_tagging_comparison

SHOWN = {
    "image_text_classifier": show_comparison,
    "masked_lm": show_masked_comparison,
    "span_corruption": show_masked_comparison,
    "summarizer": show_summary_comparison,
    "text_classifier": show_comparison,
    "token_tagger": show_tagging_comparison,
}


@click.command()
@click.argument("first")
@click.argument("second")
@backend_option
@rows_options
@layout_options
@summary_options
@bootstrap_options
@click.option(
    "--changed",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Rows to list of those that changed sides, each way.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def compare(
    first, second, backend, split, data, resamples, seed, changed, as_json, **others
):
    """Compare two saved models on the same rows.

    FIRST and SECOND are runs' folders, .keras files or zoo:NAME. Runs on --backend,
    else on KERAS_BACKEND, else on the backend of FIRST.

    A difference is SECOND less FIRST. Its interval is of a paired bootstrap: both
    models are measured on the same draws of rows. McNemar's exact test asks whether
    the rows (of taggers: the words) that only one of them gets right could be so
    divided by chance; of summarizers a sign test asks it of the rows where one is
    better.
    """
    told = told_of_summaries(others)
    told |= told_layout(others, data)
    first, second = locate(first), locate(second)
    kzoo = start_kzoo(backend_for(first, backend))
    with errors_name_options():
        figures = kzoo.compare(
            first,
            second,
            split=split,
            data=data,
            resamples=resamples,
            seed=seed,
            changed=changed,
            **told,
        )
    if as_json:
        print_json(figures)
    else:
        SHOWN[figures["task"]](figures)
