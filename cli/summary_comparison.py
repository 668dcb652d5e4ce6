"""How a comparison of two summarizers looks in a terminal."""

import click

from .comparison import show_differences, signed
from .output import counted, cut, note, one_line, wrapped
from .summary_evaluation import REFERENCES, scored, several


def show_summary_comparison(figures):
    """Print what `kzoo.compare` gives of two summarizers, for a person."""
    click.echo(f"A: {figures['first']}")
    click.echo(f"B: {figures['second']}")
    click.echo(
        f"on {figures['source']}: {counted(figures['rows'], 'row')}, "
        f"{counted(figures['references']['total'], 'reference')}\n"
    )
    show_differences(figures)
    if several(figures):
        click.echo("\nROUGE as the mean over references, not the best of them:")
        show_differences({**figures, "metrics": figures["mean"]})
    click.echo(f"\n{wrapped(verdict(figures['sign_test']))}")
    click.echo(f"\n{wrapped(how(figures))}")
    for key, letter in (("first_better", "A"), ("second_better", "B")):
        show_better(figures, key, letter)
    for sentence in figures["notes"]:
        note(f"Note: {sentence}.")


def how(figures):
    """How ROUGE was computed, and how each of the two generated."""
    own = []
    for letter, settings in zip("AB", figures["generation"].values(), strict=True):
        said = ", ".join(f"{name}={value}" for name, value in settings.items())
        own.append(f"{letter} was run with {said}")
    return f"{scored(figures['scoring'])} {'; '.join(own)}."


def verdict(test):
    """The sign test in words."""
    return (
        f"Rows where A has the higher ROUGE-L: {test['first']:,}; B: "
        f"{test['second']:,}; neither: {test['equal']:,}. If both were equally good, "
        "chance alone would divide them as unevenly with a probability of "
        f"{test['p_value']:.3g} (sign test)."
    )


def show_better(figures, key, letter):
    """The rows where one of the two is better by most."""
    rows = figures[key]
    if not rows:
        return
    from shutil import get_terminal_size

    room = get_terminal_size().columns
    total = figures["sign_test"][key.partition("_")[0]]
    shown = "" if len(rows) == total else f", {len(rows):,} of {total:,}"
    click.echo(f"\nRows where {letter} is better{shown}, by the gap in ROUGE-L:")
    for one in rows:
        gap = signed(one["second"]["rougeL"] - one["first"]["rougeL"])
        place = f"line {one['line']}, {gap}: "
        click.echo(cut(f"{place}{one_line(one['text'])}", room))
        for reference in one["references"][:REFERENCES]:
            click.echo(cut(f"  reference: {one_line(reference)}", room))
        for name, side in (("A", "first"), ("B", "second")):
            said = f"  {name}, {one[side]['rougeL']:.4f}: {one[side]['prediction']}"
            click.echo(cut(f"  {one_line(said)}", room))
