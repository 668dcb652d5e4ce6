"""What `kzoo predict` says of masks in texts, and of models that fill them in.

Models that write missing spans are measured and compared alike.
"""

import click

from .comparison import show_differences
from .evaluation import show_metrics
from .output import counted, note, one_line, print_table, wrapped
from .tables import show_table

KINDS = {
    "masked": "behind the mask",
    "random": "behind another token",
    "kept": "as they were",
    "text": "of the text",
    "mark": "sentinels and the end",
}
ASKED = {"span_corruption": "target token"}  # elsewhere a hidden one


class Fillings:
    """The answers of a masked language model: the likeliest tokens for each mask.

    Args:
        model: what has `fill`.
        batch_size: int.
        top_k: int. How many tokens to name.
    """

    formats = ("table", "jsonl", "csv", "tsv")
    chunk = None  # as many texts at a time as memory likes

    def __init__(self, model, batch_size, top_k):
        self._model, self._batch_size, self._top_k = model, batch_size, top_k
        self._none = self._count = 0

    def ask(self, texts):
        """One answer for each `Text`, in order."""
        answers = self._model.answers(
            [text.text for text in texts], self._top_k, self._batch_size
        )
        self._count += len(texts)
        self._none += sum(not answer["masks"] for answer in answers)
        return answers

    def show(self, texts, answers, file):
        """Print answers for people: a line for each token of each mask."""
        rows = [
            (f"{one['probability']:.3f}", one["token"], one["text"])
            for _, mask in _masks(texts, answers)
            for one in mask["candidates"]
        ]
        if rows:
            print_table(rows, file=file)

    def fields(self, text, answer):
        """An answer as an object of JSON."""
        return {"text": text.text, **answer}

    def rows(self, text, answer):
        """An answer as rows of CSV: one for each token of each mask."""
        for number, mask in enumerate(answer["masks"], start=1):
            for rank, one in enumerate(mask["candidates"], start=1):
                yield {
                    **text.place,
                    "text": text.text,
                    "mask": str(number),
                    "rank": str(rank),
                    "token": one["token"],
                    "probability": repr(one["probability"]),
                    "filled": one["text"],
                }

    def columns(self, place):
        """The columns of `rows` where there are none."""
        own = ("text", "mask", "rank", "token", "probability", "filled")
        return [*place, *own]

    def notes(self):
        """What a person should know of the answers."""
        if not self._none:
            return []
        has_have = "has" if self._none == 1 else "have"
        return [
            f"{self._none:,} of {counted(self._count, 'text')} {has_have} no [MASK], "
            "which stands where a token is asked for."
        ]


def _masks(texts, answers):
    for text, answer in zip(texts, answers, strict=True):
        for mask in answer["masks"]:
            yield text, mask


def show_masked(figures):
    """Print what `kzoo.evaluate` gives of a masked language model, for a person."""
    click.echo(
        f"{figures['run']} on {figures['source']}: "
        f"{counted(figures['texts'], 'text')} in {counted(figures['rows'], 'window')}, "
        f"{counted(figures['tokens'], _asked(figures))}\n"
    )
    show_metrics(figures)
    click.echo()
    show_table(
        [f"{_asked(figures)}s", "accuracy", "loss", "tokens"],
        ([KINDS[name], *_cells(one)] for name, one in figures["kinds"].items()),
    )
    if figures["worst"]:
        click.echo("\nThe tokens that cost the most, in sum:")
        show_table(
            ["token", "accuracy", "loss", "tokens"],
            ([one_line(one["token"]), *_cells(one)] for one in figures["worst"]),
        )
    for sentence in figures["notes"]:
        note(f"Note: {sentence}.")


def _asked(figures):
    return ASKED.get(figures.get("task"), "hidden token")


def _cells(one):
    shares = (one["accuracy"], one["loss"])
    cells = ["–" if share is None else f"{share:.4f}" for share in shares]
    return [*cells, f"{one['tokens']:,}"]


def show_masked_comparison(figures):
    """Print what `kzoo.compare` gives of two masked language models, for a person."""
    click.echo(f"A: {figures['first']}")
    click.echo(f"B: {figures['second']}")
    click.echo(
        f"on {figures['source']}: {counted(figures['rows'], 'window')}, "
        f"{counted(figures['tokens'], _asked(figures))}\n"
    )
    show_differences(figures)
    test = figures["mcnemar"]
    said = (
        f"{_asked(figures).capitalize()}s that only A gets right: "
        f"{test['only_first']:,}; only B: {test['only_second']:,}. If both were "
        "equally good, chance alone would divide them as unevenly with a probability "
        f"of {test['p_value']:.3g} (McNemar's exact test)."
    )
    click.echo(f"\n{wrapped(said)}")
    for sentence in figures["notes"]:
        note(f"Note: {sentence}.")
