"""How the evaluation of a tagger looks in a terminal."""

import click

from .evaluation import show_commonest, show_matrix, show_metrics
from .output import counted, cut, note, one_line, wrapped
from .tables import show_table

MATCHES = (  # What it takes; see `kzoo.metrics.span_matches`.
    "(strict: words and type; exact: words; partial: words, some count half; "
    "ent_type: type, some words)"
)
MATRIX = 8  # types; of more, the commonest confusions are listed
LISTED = 6  # errors of one sentence


def show_tagging(figures):
    """Print what `kzoo.evaluate` gives of a tagger, for a person."""
    click.echo(headline(figures))
    click.echo()
    show_metrics(figures)
    click.echo()
    show_types(figures)
    if figures["errors"]:
        show_errors(figures)
    else:
        click.echo("\nThere are no errors.")
    for sentence in figures["notes"]:
        note(f"Note: {sentence}.")


def show_errors(figures):
    if "matches" in figures:  # Of entities, not of plain tags.
        show_averages(figures)
        show_matches(figures)
    show_confusions(figures)
    show_common(figures)
    show_sentences(figures)


def headline(figures):
    noun = "type" if "matches" in figures else "tag"
    return (
        f"{figures['run']} on {figures['source']}: "
        f"{counted(figures['rows'], 'sentence')}, "
        f"{counted(figures['words'], 'word')}, "
        f"{counted(len(figures['labels']), noun)}, "
        f"{counted(figures['errors'], 'error')}"
    )


def show_types(figures):
    shares, strict = ("precision", "recall", "f1"), figures.get("strict_per_class")
    headers = ["type" if strict else "tag", *shares]
    if figures["intervals"]:
        headers.append(f"{figures['bootstrap']['level']:.0%} interval")
    rows = []
    for name, one in figures["per_class"].items():
        row = [name, *(f"{one[key]:.4f}" for key in shares)]
        if "interval" in one:
            row.append("{:.4f} to {:.4f}".format(*one["interval"]))
        if strict:
            row.append(f"{strict[name]['f1']:.4f}")
        rows.append([*row, f"{one['support']:,}", f"{one['predicted']:,}"])
    show_table([*headers, *(["strict"] if strict else []), "gold", "predicted"], rows)


def show_averages(figures):
    """Lenient and strict; where these are alike, once."""
    shares, ways = ("precision", "recall", "f1"), figures["averages"]
    title = "average"
    if ways["strict"] == ways["lenient"]:
        title, ways = "average, strict alike", {"lenient": ways["lenient"]}
    click.echo()
    show_table(
        [title, *shares],
        (
            [
                average if way == "lenient" else f"{average}, strict",
                *(f"{one[key]:.4f}" for key in shares),
            ]
            for way, averages in ways.items()
            for average, one in averages.items()
        ),
    )


def show_matches(figures):
    counts = ("correct", "incorrect", "partial", "missed", "spurious")
    click.echo()
    show_table(
        ["match", *counts, "f1"],
        (
            [way, *(f"{one[key]:,}" for key in counts), f"{one['f1']:.4f}"]
            for way, one in figures["matches"]["overall"].items()
        ),
    )
    click.echo(wrapped(MATCHES))


def show_confusions(figures):
    """The matrix of types, with what was missed and what is spurious."""
    names, counts = figures["labels"], figures["confusion"]
    if not names:
        return
    gold, said = list(names), list(names)
    if "kinds" in figures:
        show_kinds(figures["kinds"])
        gold, said = [*gold, "spurious"], [*said, "missed"]
    if len(names) <= MATRIX:
        show_matrix(gold, said, counts)
    else:
        show_commonest(
            gold, said, counts, "entities" if "kinds" in figures else "words"
        )


def show_kinds(kinds):
    """How many errors there are of each kind, and what the matrix is about."""
    told = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items() if count)
    click.echo("\n" + wrapped(f"Of these errors {told}:"))


def show_common(figures):
    common = figures["common"]
    if not common:
        return
    errors = figures["errors"]
    if sum(one["count"] for one in common) < errors:
        title = f"The most frequent of {errors:,} errors:"
    else:
        title = "The one error:" if errors == 1 else f"All {errors:,} errors:"
    click.echo(f"\n{title}")
    first = "entity" if "matches" in figures else "word"
    show_table(
        [first, "gold", "predicted", "count", "line", "sentence"],
        (
            [*cells(one), f"{one['count']:,}", str(one["line"]), around(one)]
            for one in common
        ),
        words=3,
        text=True,
    )


def show_sentences(figures):
    from shutil import get_terminal_size

    worst = figures["worst"]
    if not worst:
        return
    wrong, room = figures["wrong_rows"], get_terminal_size().columns
    if len(worst) == wrong:
        click.echo(f"\n{counted(wrong, 'sentence')} with errors:")
    else:
        most = "sentence" if len(worst) == 1 else f"{len(worst):,} sentences"
        click.echo(f"\nThe {most} with most errors, of {wrong:,} with any:")
    for one in worst:
        place = f"line {one['line']}, {counted(one['errors'], 'error')}: "
        click.echo(cut(f"{place}{one_line(one['text'])}", room))
        for error in one["wrong"][:LISTED]:
            entity, gold, predicted = map(one_line, cells(error))
            click.echo(cut(f"  {entity}  {gold} → {predicted}", room))
        more = len(one["wrong"]) - LISTED
        if more > 0:
            click.echo(f"  and {more:,} more")


def cells(error):
    """An error as three cells: what is written, its gold type, what was predicted."""
    gold, said = error["gold"], error["predicted"]
    if gold is None:
        return said["entity"], "–", said["type"]
    if said is None:
        return gold["entity"], gold["type"], "–"
    return gold["entity"], gold["type"], answer(gold, said)


def answer(gold, said):
    """What was predicted for a gold entity: its type, and its words if others."""
    if said is None:
        return "–"
    if (said["start"], said["end"]) == (gold["start"], gold["end"]):
        return said["type"]
    return f"{said['type']} “{said['entity']}”"


def around(one, before=16):
    """The sentence from a word or two before the error on."""
    text = one["text"]
    place = min(side["start"] for side in (one["gold"], one["predicted"]) if side)
    if place <= before:
        return text
    start = text.find(" ", place - before, place) + 1 or place
    return "… " + text[start:]
