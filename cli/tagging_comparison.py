"""How a comparison of two taggers looks in a terminal."""

import click

from .comparison import show_differences, signed
from .output import counted, note, wrapped
from .tables import show_table
from .tagging_evaluation import answer, around


def show_tagging_comparison(figures):
    """Print what `kzoo.compare` gives of two taggers, for a person."""
    click.echo(f"A: {figures['first']}")
    click.echo(f"B: {figures['second']}")
    click.echo(
        f"on {figures['source']}: {counted(figures['rows'], 'sentence')}, "
        f"{counted(figures['words'], 'word')}\n"
    )
    show_differences(figures)
    click.echo()
    show_types(figures)
    click.echo(f"\n{wrapped(verdict(figures['mcnemar']))}")
    noun = "entities" if "spurious" in figures else "words"
    for key, letter in (("only_first", "A"), ("only_second", "B")):
        show_found(figures, key, letter, noun)
    if "spurious" in figures:
        first, second = figures["spurious"].values()
        said = f"Wrong entities that only A predicts: {first:,}; only B: {second:,}."
        click.echo(f"\n{wrapped(said)}")
    for sentence in figures["notes"]:
        note(f"Note: {sentence}.")


def show_types(figures):
    """F1 of each type, of both."""
    headers = ["F1 of", "A", "B", "B − A"]
    intervals = bool(figures["bootstrap"]["resamples"])
    if intervals:
        headers.append(f"{figures['bootstrap']['level']:.0%} interval")
    show_table(
        headers,
        (
            [
                name,
                f"{one['first']:.4f}",
                f"{one['second']:.4f}",
                signed(one["difference"]),
                *([" to ".join(map(signed, one["interval"]))] if intervals else []),
            ]
            for name, one in figures["per_class"].items()
        ),
    )


def verdict(test):
    """McNemar's test in words."""
    return (
        f"Words that only A tags rightly: {test['only_first']:,}; only B: "
        f"{test['only_second']:,}. If both were equally good, chance alone would "
        f"divide them as unevenly with a probability of {test['p_value']:.3g} "
        "(McNemar's exact test)."
    )


def show_found(figures, key, letter, noun):
    found, total = figures[key], figures["found"][key]
    if not found:
        return
    shown = "" if len(found) == total else f", {len(found)} of {total:,}"
    click.echo(f"\nGold {noun} that only {letter} finds{shown}:")
    other = "second" if key == "only_first" else "first"
    show_table(
        [
            noun,
            "gold",
            f"{'B' if letter == 'A' else 'A'} predicted",
            "line",
            "sentence",
        ],
        (
            [
                one["gold"]["entity"],
                one["gold"]["type"],
                answer(one["gold"], one[other]),
                str(one["line"]),
                around({"gold": one["gold"], "predicted": None, "text": one["text"]}),
            ]
            for one in found
        ),
        words=3,
        text=True,
    )
