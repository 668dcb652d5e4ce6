"""`kzoo predict MODEL TEXT…`."""

import click

from ..backend import backend_option, start_kzoo
from ..options import layout_options
from ..output import note, print_json, print_table
from ..runs import backend_for, locate
from ..texts import check_source, texts_from


@click.command()
@click.argument("model")
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@click.option(
    "--input",
    "file",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="File with a text per line, or .csv, .tsv, .jsonl or .parquet; - is stdin.",
)
@click.option(
    "--text", "column", metavar="COLUMN", help="Column of the texts; text unless given."
)
@layout_options
@backend_option
@click.option(
    "--batch-size",
    type=click.IntRange(1),
    default=64,
    show_default=True,
    help="Texts at a time.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON per text.")
def predict(model, texts, file, column, format, encoding, backend, batch_size, as_json):
    """Label texts with a saved model.

    MODEL is a run's folder, a .keras file or zoo:NAME. Without TEXT and --input, texts
    are read from stdin, one per line. Runs on --backend, else on KERAS_BACKEND, else
    on the backend of the run.
    """
    path = locate(model)
    layout = {"text": column, "format": format, "encoding": encoding}
    layout = {key: value for key, value in layout.items() if value is not None}
    check_source(texts, file, layout)
    kzoo = start_kzoo(backend_for(path, backend))
    texts = texts_from(texts, file, layout)
    model = kzoo.load_model(path)
    answers = model.classify(texts, batch_size=batch_size)
    if as_json:
        for text, answer in zip(texts, answers, strict=True):
            print_json({"text": text, **answer})
    else:
        print_table(
            (answer["label"], f"{max(answer['probabilities'].values()):.3f}", text)
            for text, answer in zip(texts, answers, strict=True)
        )
    cut = sum(answer["truncated"] for answer in answers)
    if cut:
        note(
            f"{cut} of {len(texts)} texts were cut: "
            f"the model reads {model.sequence_length} tokens."
        )
