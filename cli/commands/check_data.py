"""`kzoo check-data RECIPE`."""

import click
from kzoo_recipes import load

from ..backend import kzoo_without_keras
from ..data_report import print_report
from ..options import override_option
from ..output import FAILED, complain, counted, print_json
from ..paired_data_report import paired_lines
from ..tagged_data_report import tagged_lines
from ..text_data_report import text_lines

SHOWN = 5


@click.command("check-data")
@click.argument("recipe")
@override_option
@click.option(
    "--rows",
    type=click.IntRange(0),
    help=f"Rows to list of each finding; {SHOWN} unless given, all with --json.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if there is a fault.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def check_data(ctx, recipe, overrides, rows, strict, as_json):
    """Look at a recipe's rows before they train.

    Counts rows, labels, tokens, and what is cut or unknown, in each split; finds texts
    that are empty, repeated, shared between splits or labelled in two ways, and labels
    that train lacks. No framework is started. Exits with 2 if the rows cannot be used.
    """
    recipe = load(recipe, overrides)
    with kzoo_without_keras():
        most = SHOWN if rows is None and not as_json else rows
        report, lines = REPORTS[recipe.task](recipe, most)
    if as_json:
        print_json({"recipe": recipe.name, **report})
    else:
        print_report(report, lines)
    faults = [finding for finding in report["findings"] if finding["fault"]]
    if strict and faults:
        kinds = dict.fromkeys(finding["kind"].replace("_", " ") for finding in faults)
        are = "is a fault" if len(faults) == 1 else "are faults"
        complain(
            f"--strict: {len(faults)} of {counted(len(report['findings']), 'finding')} "
            f"{are} ({', '.join(kinds)})."
        )
        ctx.exit(FAILED)


def recipe_tokenizer(recipe, texts):
    """The tokenizer that the recipe's model would have."""
    if recipe.model.pretrained is not None:
        from kzoo.interop.origins import origin_of, tokenizer_of

        return tokenizer_of(origin_of(recipe.model.pretrained))
    from kzoo.text import make_tokenizer
    from kzoo.text.spans import SENTINELS

    sentinels = SENTINELS if recipe.task == "span_corruption" else 0
    return make_tokenizer(recipe.tokenizer, texts, sentinels)


def _of_texts(recipe, most):
    from kzoo.data import load_splits
    from kzoo.data.report import data_report

    splits = load_splits(recipe.data)
    tokenizer = recipe_tokenizer(recipe, splits["train"].texts)
    return data_report(splits, tokenizer, recipe.data.sequence_length, most), None


def _of_pictures(recipe, most):
    from kzoo.data.pictured import check_pictures, load_pictured_splits
    from kzoo.data.report import data_report

    splits = load_pictured_splits(recipe.data)
    check_pictures(splits)
    tokenizer = recipe_tokenizer(recipe, splits["train"].texts)
    return data_report(splits, tokenizer, recipe.data.sequence_length, most), None


def _of_tags(recipe, most):
    from kzoo.data.tagged import load_tagged_splits
    from kzoo.data.tagged_report import tagged_report
    from kzoo.text.alignment import align

    splits = load_tagged_splits(recipe.data)
    tokenizer = recipe_tokenizer(recipe, splits["train"].texts)
    aligned = {
        split: align(tokenizer, rows.texts, rows.spans)
        for split, rows in splits.items()
    }
    length = recipe.data.sequence_length
    return tagged_report(splits, aligned, tokenizer, length, most), tagged_lines


def _of_pairs(recipe, most):
    from kzoo.data.paired_report import paired_report
    from kzoo.data.pairs import load_paired_splits
    from kzoo.metrics.traits import traits

    splits = load_paired_splits(recipe.data)
    train = splits["train"]
    tokenizer = recipe_tokenizer(recipe, train.documents + train.summaries)
    return paired_report(splits, tokenizer, recipe.data, traits, most), paired_lines


def _alone(recipe, most):
    from kzoo.data.text_report import text_report
    from kzoo.data.texts import load_text_splits

    splits = load_text_splits(recipe.data)
    tokenizer = recipe_tokenizer(recipe, splits["train"].texts)
    length = recipe.data.sequence_length
    return text_report(splits, tokenizer, length, most), text_lines


REPORTS = {
    "image_text_classifier": _of_pictures,
    "masked_lm": _alone,
    "span_corruption": _alone,
    "text_classifier": _of_texts,
    "token_tagger": _of_tags,
    "summarizer": _of_pairs,
}
