"""How an evaluation looks in a terminal."""

import click

from .output import counted, note
from .tables import show_table

MATRIX = 8  # labels; of more, the commonest confusions are listed
COMMONEST = 10


def show_evaluation(figures):
    """Print what `kzoo.evaluate` gives, for a person."""
    click.echo(headline(figures))
    click.echo()
    show_metrics(figures)
    click.echo()
    show_classes(figures)
    if "confusion" in figures:  # Not of a model that gives any number of labels.
        show_confusions(figures)
    show_worst(figures)
    for sentence in figures["notes"]:
        note(f"Note: {sentence}.")


def headline(figures):
    return (
        f"{figures['run']} on {figures['source']}: "
        f"{counted(figures['rows'], 'row')}, "
        f"{counted(len(figures['labels']), 'label')}, "
        f"{counted(figures['errors'], 'error')}"
    )


def show_metrics(figures):
    intervals, bootstrap = figures["intervals"], figures["bootstrap"]
    headers = ["metric", "value"]
    if intervals:
        headers.append(f"{bootstrap['level']:.0%} interval")
    rows = []
    for name, value in figures.items():
        if isinstance(value, float):
            row = [name, f"{value:.4f}"]
            if intervals:
                row.append(limits(intervals.get(name)))
            rows.append(row)
    show_table(headers, rows)


def limits(interval):
    """`low to high`; nothing where a figure has no interval."""
    return "{:.4f} to {:.4f}".format(*interval) if interval else ""


def show_classes(figures):
    shares = ["precision", "recall", "f1", "roc_auc"]
    if any("threshold" in one for one in figures["per_class"].values()):
        shares.append("threshold")
    show_table(
        ["label", *shares, "rows"],
        (
            [name, *(figure(one[key]) for key in shares), f"{one['support']:,}"]
            for name, one in figures["per_class"].items()
        ),
    )


def figure(value):
    return "–" if value is None else f"{value:.4f}"


def show_confusions(figures):
    names, counts = figures["labels"], figures["confusion"]
    if len(names) <= MATRIX:
        click.echo()
        show_matrix(names, names, counts)
    else:
        show_commonest(names, names, counts, "rows")


def show_matrix(gold, predicted, counts):
    """Print how often each gold label (a row) was predicted as which (a column)."""
    rows = zip(gold, counts, strict=True)
    show_table(
        ["gold \\ predicted", *predicted],
        ([name, *(f"{count:,}" for count in row)] for name, row in rows),
    )


def show_commonest(gold, predicted, counts, noun):
    """Print which labels are most often confused; what is counted is called `noun`."""
    pairs = [
        (count, gold[at], predicted[place])
        for at, row in enumerate(counts)
        for place, count in enumerate(row)
        if count and at != place
    ]
    pairs.sort(key=lambda pair: -pair[0])
    if pairs:
        click.echo("\nThe commonest confusions:")
        show_table(
            ["gold", "predicted", noun],
            ([one, said, f"{count:,}"] for count, one, said in pairs[:COMMONEST]),
            words=2,
        )


def show_worst(figures):
    worst = figures["worst"]
    if not worst:
        return
    click.echo(f"\n{_worst_of(len(worst), figures['errors'])}")
    key = column = "loss"
    if "probability" in worst[0]:
        key, column = "probability", "sure"
    show_table(
        ["gold", "predicted", column, "line", "text"],
        (
            [
                words(one["gold"]),
                words(one["predicted"]),
                f"{one[key]:.3f}",
                str(one["line"]),
                one["text"],
            ]
            for one in worst
        ),
        words=2,
        text=True,
    )


def _worst_of(listed, errors):
    if errors == 1:
        return "The one error:"
    if listed == 1:
        return f"The worst of {errors:,} errors, by loss:"
    return f"The worst {listed:,} of {errors:,} errors, by loss:"


def words(labels):
    """A label, or any number of them, in one cell."""
    return labels if isinstance(labels, str) else " + ".join(labels) or "–"
