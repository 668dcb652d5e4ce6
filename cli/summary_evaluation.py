"""How the evaluation of a summarizer looks in a terminal."""

import click

from .evaluation import show_metrics
from .output import counted, cut, note, one_line, wrapped
from .tables import show_table

TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
BEST = 3  # rows; the worst teach more
REFERENCES = 2  # of one row
SIDES = ("predictions", "references", "lead", "documents")


def show_summaries(figures):
    """Print what `kzoo.evaluate` gives of a summarizer, for a person."""
    click.echo(headline(figures))
    click.echo()
    show_rouge(figures)
    click.echo()
    show_lead(figures)
    click.echo()
    others = {key: value for key, value in figures.items() if key not in TYPES}
    show_metrics(others)
    click.echo()
    show_texts(figures)
    click.echo(f"\n{wrapped(how(figures))}")
    show_rows(figures["worst"], figures["rows"], "least")
    show_rows(figures["best"][:BEST], figures["rows"], "most")
    for sentence in figures["notes"]:
        note(f"Note: {sentence}.")


def headline(figures):
    return (
        f"{figures['run']} on {figures['source']}: {counted(figures['rows'], 'row')}, "
        f"{counted(figures['references']['total'], 'reference')}, "
        f"{counted(figures['empty_rows'], 'empty prediction')}"
    )


def several(figures):
    """Whether any row has more than one reference, so that best and mean differ."""
    return bool(figures["references"]["rows_with_several"])


def level(figures):
    return f"{figures['bootstrap']['level']:.0%} interval"


def show_rouge(figures):
    """F1 with its interval, precision and recall, against the best reference."""
    intervals, many = bool(figures["intervals"]), several(figures)
    headers = ["best reference" if many else "", "f1"]
    headers += [level(figures)] if intervals else []
    headers += ["precision", "recall", *(["mean f1"] if many else [])]
    rows = []
    for name, one in figures["rouge"].items():
        best = one["best"]
        row = [name, f"{best['f1']:.4f}"]
        if intervals:
            row.append("{:.4f} to {:.4f}".format(*best["intervals"]["f1"]))
        row += [f"{best['precision']:.4f}", f"{best['recall']:.4f}"]
        rows.append(row + ([f"{one['mean']['f1']:.4f}"] if many else []))
    show_table(headers, rows)


def show_lead(figures):
    """What the first sentences of the documents reach, and what is more than that."""
    intervals = bool(figures["intervals"])
    headers = [lead_name(figures), "f1", "more than it"]
    rows = []
    for name, one in figures["rouge"].items():
        more = one["lead"]["difference"]
        row = [name, f"{one['lead']['f1']:.4f}", signed(more["value"])]
        if intervals:
            row.append(" to ".join(map(signed, more["interval"])))
        rows.append(row)
    show_table([*headers, *([level(figures)] if intervals else [])], rows)
    many = figures["lead_sentences"]
    first = "sentence" if many == 1 else f"{many} sentences"
    said = f"({lead_name(figures)}: the first {first} of each document, no model)"
    click.echo(wrapped(said))


def lead_name(figures):
    """`LEAD-1`: the baseline, with how many sentences it takes."""
    return f"LEAD-{figures['lead_sentences']}"


def show_texts(figures):
    """What predictions, references and documents are like, side by side."""
    show_table(
        ["on average", *SIDES[:2], lead_name(figures), *SIDES[3:]],
        ([name, *cells] for name, cells in text_rows(figures["texts"])),
    )


def text_rows(texts):
    """Rows of a table with a column for each of `SIDES`; `–` where nothing is known."""
    yield "words", [f"{texts[side]['words']:.1f}" for side in SIDES]
    yield "sentences", [f"{texts[side]['sentences']:.2f}" for side in SIDES]
    for key, name in (("novel_ngrams", "new"), ("repeated_ngrams", "repeated")):
        for place in range(4):
            cells = [texts[side].get(key) for side in SIDES]
            shares = ["–" if one is None else f"{one[place]:.1%}" for one in cells]
            yield f"{name} {place + 1}-grams", shares
    for key, name, form in (
        ("coverage", "coverage", "{:.1%}"),
        ("density", "density", "{:.2f}"),
        ("longest_copy", "longest copy", "{:.1f}"),
    ):
        cells = [texts[side].get(key) for side in SIDES]
        yield name, ["–" if one is None else form.format(one) for one in cells]


def how(figures):
    """How summaries were made and scored, in words."""
    return f"{scored(figures['scoring'])} {generated(figures['generation'])}"


def scored(scoring):
    name = scoring["stemmer"]
    stemmer = f"{name.capitalize()}'s stemmer" if name else "no stemmer"
    return (
        f"ROUGE is that of {scoring['package']} {scoring['version']}: words by the "
        f'tokenizer "{scoring["tokenizer"]}", {stemmer}, sentences parted at '
        f"{scoring['sentences']}."
    )


def generated(settings):
    said = ", ".join(f"{name}={value}" for name, value in settings.items())
    return f"Summaries were generated with {said}."


def show_rows(rows, total, which):
    """Rows at one end, by ROUGE-L, with reference and prediction."""
    if not rows:
        return
    from shutil import get_terminal_size

    room = get_terminal_size().columns
    shown = "row" if len(rows) == 1 else f"{len(rows):,} rows"
    click.echo(f"\nThe {shown} of {total:,} with {which} ROUGE-L:")
    for one in rows:
        cut_off = ", document cut" if one.get("truncated") else ""
        place = f"line {one['line']}, {one['rougeL']:.4f}{cut_off}: "
        click.echo(cut(f"{place}{one_line(one['text'])}", room))
        for reference in one["references"][:REFERENCES]:
            click.echo(cut(f"  reference:  {one_line(reference)}", room))
        more = len(one["references"]) - REFERENCES
        if more > 0:
            click.echo(f"  and {counted(more, 'more reference')}")
        click.echo(cut(f"  prediction: {one_line(one['prediction'])}", room).rstrip())


def signed(value):
    return f"{value:+.4f}".replace("-", "−")
