"""How every evaluation's page begins: what was measured, on what, and the figures."""

from kzoo.reports.drawings import whisker
from kzoo.reports.markup import Markup, element, joined, table
from kzoo.reports.page import page

# No upper limit, so no place on a line from 0 to 1.
OPEN_ENDED = ("loss", "perplexity", "length_ratio", "copy_density")


def evaluated(figures, cards, counts, meaning, unit, *sections, style=""):
    """The page of an evaluation.

    Args:
        figures: dict, what `kzoo.evaluate` gives.
        cards: names of the figures that are shown in large.
        counts: list of str, how much of what there is.
        meaning: dict from a figure's name to what it means.
        unit: str. What was drawn for the intervals.
        *sections: `Markup`, what follows the figures.
        style: str. Rules of CSS beside those of every page.

    Returns:
        str, a whole document: style and drawings inside, nothing loaded, nothing run,
        and every text of the data only ever text.
    """
    return page(
        f"kzoo: {figures['run']} on {figures['source']}",
        introduction(figures, cards, counts),
        element("h2", "Metrics"),
        measured(figures, meaning, unit),
        *sections,
        style=style,
    )


def introduction(figures, cards, counts):
    """What was measured, on what, the figures of `cards` in large, and the notes."""
    cards = joined(
        element("div", element("b", f"{figures[name]:.3f}"), name, class_="card")
        for name in cards
        if name in figures
    )
    notes = joined(element("p", f"Note: {text}.") for text in figures["notes"])
    return joined(
        [
            element("h1", figures["run"]),
            element(
                "p", f"on {figures['source']}: {', '.join(counts)}", class_="quiet"
            ),
            element("div", cards, class_="cards"),
            notes,
        ]
    )


def measured(figures, meaning, unit):
    """Every metric with its interval and what it means.

    Args:
        figures: dict of floats by name, `intervals` and `bootstrap`.
        meaning: dict of str by name.
        unit: str. What was drawn for the intervals.
    """
    intervals, bootstrap = figures["intervals"], figures["bootstrap"]
    headers = ["metric", "value"]
    if intervals:
        headers += [f"{bootstrap['level']:.0%} interval", ""]
    rows = []
    for name, value in figures.items():
        if not isinstance(value, float):
            continue
        row = [name, f"{value:.4f}"]
        if intervals and name not in intervals:
            row += ["", ""]
        elif intervals:
            low, high = intervals[name]
            least = -1.0 if name == "mcc" and low < 0 else 0.0
            drawn = "" if name in OPEN_ENDED else whisker(value, low, high, least)
            row += [f"{low:.4f} to {high:.4f}", drawn]
        rows.append([*row, element("td", meaning.get(name, ""), class_="meaning")])
    how = Markup("")
    if intervals:
        how = element(
            "p",
            f"Intervals: percentiles of {bootstrap['resamples']:,} bootstrap resamples "
            f"of the {unit}, seed {bootstrap['seed']}.",
            class_="quiet",
        )
    return joined([table([*headers, ""], rows), how])
