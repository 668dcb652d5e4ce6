"""How a comparison looks in a terminal."""

import click

from .output import counted, note, wrapped
from .tables import show_table


def show_comparison(figures):
    """Print what `kzoo.compare` gives, for a person."""
    click.echo(f"A: {figures['first']}")
    click.echo(f"B: {figures['second']}")
    click.echo(f"on {figures['source']}: {counted(figures['rows'], 'row')}\n")
    show_differences(figures)
    click.echo(f"\n{wrapped(verdict(figures['mcnemar']))}")
    for key, letter in (("only_first", "A"), ("only_second", "B")):
        show_changed(figures, key, letter)
    for sentence in figures["notes"]:
        note(f"Note: {sentence}.")


def show_differences(figures):
    headers = ["metric", "A", "B", "B − A"]
    if figures["bootstrap"]["resamples"]:
        headers.append(f"{figures['bootstrap']['level']:.0%} interval")
    rows = []
    for name, one in figures["metrics"].items():
        row = [name, f"{one['first']:.4f}", f"{one['second']:.4f}"]
        row.append(signed(one["difference"]))
        if "interval" in one:
            row.append(" to ".join(map(signed, one["interval"])))
        rows.append(row)
    show_table(headers, rows)


def verdict(test):
    """McNemar's test in words."""
    return (
        f"Rows that only A gets right: {test['only_first']:,}; only B: "
        f"{test['only_second']:,}. If both were equally good, chance alone would "
        f"divide them as unevenly with a probability of {test['p_value']:.3g} "
        "(McNemar's exact test)."
    )


def show_changed(figures, key, letter):
    changed, total = figures[key], figures["mcnemar"][key]
    if not changed:
        return
    shown = "" if len(changed) == total else f", {len(changed)} of {total:,}"
    click.echo(f"\nRows that only {letter} gets right{shown}:")
    show_table(
        ["gold", "A predicted", "B predicted", "line", "text"],
        (
            [
                labels_in_words(one["gold"]),
                said(one["first"]),
                said(one["second"]),
                str(one["line"]),
                one["text"],
            ]
            for one in changed
        ),
        words=3,
        text=True,
    )


def said(one):
    words = labels_in_words(one["predicted"])
    return f"{words} {one['probability']:.2f}" if "probability" in one else words


def labels_in_words(labels):
    """The label of a row, or any number of them."""
    return labels if isinstance(labels, str) else " + ".join(labels) or "–"


def signed(value):
    return f"{value:+.4f}".replace("-", "−")
