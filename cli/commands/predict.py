"""`kzoo predict MODEL TEXT…`."""

import contextlib
import os
import sys
from itertools import chain
from pathlib import Path

import click
from kzoo_recipes import KzooError

from ..answering import Wish, kind_of
from ..answers import FORMATS, check_kept, format_of, make_writer
from ..backend import backend_option, start_kzoo
from ..eye import Eye
from ..files import check_apart, check_target, written_whole
from ..generation import generation_options, told_settings
from ..options import layout_options
from ..output import counted, note
from ..runs import backend_for, locate, own_data
from ..streaming import Progress, Stream
from ..tagging import Page
from ..texts import check_source, holds_words, is_table, place_of, texts_from

AGGREGATIONS = ("words", "none", "simple", "first", "average", "max")


@click.command()
@click.argument("model")
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@click.option(
    "--input",
    "files",
    multiple=True,
    metavar="FILE",
    help="File with a text per line, or .csv, .tsv, .jsonl, .parquet or .conll, .gz "
    "too; - is stdin; repeat for more.",
)
@click.option(
    "--text",
    "--document",
    "text",
    metavar="COLUMN",
    help="Column of the texts; by default that of the model's recipe, or text, or of a "
    "summarizer document.",
)
@click.option(
    "--image",
    "images",
    multiple=True,
    metavar="FILE|COLUMN",
    help="The picture of TEXT; with --input, the column of the pictures, by default "
    "that of the model's recipe, or image.",
)
@click.option(
    "--words",
    metavar="COLUMN",
    help="Column of the words, by name or number, where a row has words, not a text.",
)
@click.option(
    "--whole",
    is_flag=True,
    help="Take all lines of a file, or of stdin, for one text.",
)
@click.option(
    "--keep",
    metavar="COLUMN,...",
    help="Columns of the input to hand on with each answer; all is every one.",
)
@layout_options
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="File for the answers, .jsonl, .csv, .tsv or .conll, instead of stdout.",
)
@click.option(
    "--as",
    "asked",
    type=click.Choice(FORMATS),
    help="How to write answers, if not by the ending of --output.",
)
@click.option(
    "--html",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Of a tagger: write a page, too, that shows the entities in their texts.",
)
@click.option("--force", is_flag=True, help="Replace files that are there.")
@click.option("--strict", is_flag=True, help="End at the first row that is broken.")
@click.option(
    "--aggregation",
    type=click.Choice(AGGREGATIONS),
    help="Of a tagger: what becomes an entity; words if left out, the others are those "
    "of transformers.",
)
@click.option(
    "--by-word",
    is_flag=True,
    help="Of a tagger: take words apart at white space alone, and give each a tag; a "
    "table shows the entities that these make.",
)
@generation_options
@click.option(
    "--candidates",
    type=click.IntRange(1),
    help="Of a masked language model: how many tokens to name for each [MASK]; 5 if "
    "left out.",
)
@click.option(
    "--scores", is_flag=True, help="Of a summarizer: show the score of each summary."
)
@backend_option
@click.option(
    "--batch-size",
    type=click.IntRange(1),
    default=64,
    show_default=True,
    help="Texts at a time.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON per text.")
def predict(
    model, texts, files, whole, output, asked, html, force, strict, aggregation,
    by_word, candidates, scores, images, backend, batch_size, as_json, **layout,
):  # fmt: skip
    """Label texts, find entities, summarize, or fill in gaps.

    MODEL is a run's folder, a .keras file or zoo:NAME. Without TEXT and --input, texts
    are read from stdin, one per line, and answered as they come. Runs on --backend,
    else on KERAS_BACKEND, else on the backend of the run.

    Rows that cannot be read are named on stderr, counted and left out; the exit code
    is 0 then. With --strict the first one is an error.
    """
    generation = told_settings(layout)
    image = _only(images)
    layout = _told({**layout, "image": None if texts else image})
    if output is None and sys.stdout is None:
        raise KzooError("stdout is closed; name a file for the answers with --output.")
    path = locate(model)
    format = format_of(output, asked, as_json)
    check_source(texts, files, layout, whole)
    for text in filter(os.path.isfile, texts):
        note(f"{text} is read as a text; to read the file, use --input {text}")
    check_kept(layout, format)
    check_apart(output, html)
    words = any(holds_words(file, layout) for file in files or "-")
    if (by_word or words) and aggregation:
        raise click.UsageError(
            "--aggregation makes entities of texts; with --by-word, or a file of "
            "words, each word has a tag of its own."
        )
    tagging = {
        "--words": layout.get("words"),
        "--aggregation": aggregation,
        "--by-word": by_word,
        "--html": html,
        "CoNLL": words,
    }
    by_word = by_word or words
    live = format == "table" and output is None and sys.stdout.isatty()
    wish = Wish(
        *(batch_size, by_word, tagging, generation, scores, live, candidates),
        pictured=image is not None,
        eye=Eye(),
    )
    for target in filter(None, (output, html)):
        check_target(target, force)
    tables = any(is_table(file, layout) for file in files or "-")
    data = own_data(path) if tables else None
    kzoo = start_kzoo(backend_for(path, backend))
    shown = output is not None or not sys.stdout.isatty()
    with Progress(shown) as progress:
        stream = Stream(None, None, None, progress)
        broken = _refuse if strict else stream.skip
        source = texts_from(
            *(texts, files, layout, broken, stream.flush, data, by_word, whole),
            image=image if texts else None,
            eye=wish.eye,
        )
        if files and "-" not in files:  # A mistake in a file shows before the model.
            source = chain([next(source, None)], source)
        loaded = kzoo.load_model(path)
        kind = kind_of(loaded, model, wish, format)
        with contextlib.ExitStack() as stack:
            file = stack.enter_context(written_whole(output)) if output else None
            stream.ask, stream.chunk = kind.ask, kind.chunk
            writer = make_writer(format, file, kind)
            writers = [writer]
            if html is not None:
                page = stack.enter_context(written_whole(html))
                writers.append(Page(page, kind, f"kzoo: {model}"))
            stream.write = lambda *told: [one.write(*told) for one in writers]
            stream.flush_output = (file or click.get_text_stream("stdout")).flush
            for text in filter(None, source):
                stream.add(text)
            stream.flush()
            _check_some(stream)
            for one in writers:
                one.end(place_of(files, whole))
    _say(stream, kind, writer, output, html)


def _only(images):
    """The one picture, or column of pictures, that was named, or `None`."""
    if len(images) > 1:
        raise click.UsageError(
            "--image is given more than once, and one picture goes with all texts; for "
            "several, write a table of pictures and texts, and name it with --input."
        )
    if "" in images:
        raise click.UsageError("--image is empty; name the file of a picture.")
    return images[0] if images else None


def _told(layout):
    """What was told of the files, without what was not."""
    told = {key: value for key, value in layout.items() if value is not None}
    if "keep" in told:
        told["keep"] = tuple(name.strip() for name in told["keep"].split(","))
    return told


def _refuse(error):
    raise error


def _check_some(stream):
    """Raise where there were rows and none of them could be read."""
    if stream.broken and not stream.rows:
        none = "the only row cannot"
        if stream.broken > 1:
            none = f"none of the {stream.broken:,} rows can"
        raise KzooError(f"{none} be read; nothing was written.")


def _say(stream, kind, writer, output, html):
    for sentence in kind.notes():
        note(sentence)
    if stream.blank:
        is_are = "is" if stream.blank == 1 else "are"
        note(f"{stream.blank:,} of {counted(stream.rows, 'text')} {is_are} blank.")
    if stream.broken:
        was_were = "was" if stream.broken == 1 else "were"
        note(
            f"{stream.broken:,} of {counted(stream.broken + stream.rows, 'row')} "
            f"cannot be read and {was_were} skipped; "
            "--strict ends at the first."
        )
    for sentence in writer.notes():
        note(sentence)
    if output is not None:
        note(f"Wrote {counted(stream.rows, 'answer')} to {output}")
    if html is not None:
        note(f"Wrote {html}")
