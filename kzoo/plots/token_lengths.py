"""How long texts are in tokens, and where a model cuts them. No Keras."""

import numpy as np

from kzoo.plots.canvas import below, drawn, line_style, new_figure, title_of

BINS = 40


def lengths(texts, tokenizer, cut=None):
    """The lengths of texts in tokens, special tokens counted.

    Args:
        texts: dict from a name, as of a split, to a list of str.
        tokenizer: `kzoo.text.Tokenizer`.
        cut: int. How many tokens a model reads at once; `None` for no limit.

    Returns:
        dict: "cut", int or `None`; "splits", dict from each name to a dict of
        "lengths", list of int, one for each text in order, and "longer", int, how many
        are longer than `cut`.
    """
    found = {}
    for name, own in texts.items():
        sizes = tokenizer.encode(own, offsets=False).lengths
        longer = 0 if cut is None else int((sizes > cut).sum())
        found[name] = {"lengths": sizes.tolist(), "longer": longer}
    return {"cut": cut, "splits": found}


def histogram(found, bins=BINS):
    """How many texts there are of which length.

    Args:
        found: dict, as `lengths` gives it.
        bins: int. The most stretches of equal width, of whole tokens each.

    Returns:
        pair: int `(bins + 1,)`, the edges, each the first length of its stretch, and
        dict of int `(bins,)` by name.
    """
    every = [one["lengths"] for one in found["splits"].values()]
    longest = max((max(own) for own in every if own), default=1)
    width = -(-(longest + 1) // bins)
    edges = np.arange(0, longest + 1 + width, width)
    counts = {
        name: np.histogram(one["lengths"], edges)[0]
        for name, one in found["splits"].items()
    }
    return edges, counts


@drawn
def lengths_figure(panels, title="Lengths", size=None):
    """Shares of texts by their length, with the cut marked.

    Args:
        panels: dict from what the texts are, as "text", to what `kzoo.plots.lengths`
            gives of them.
        title: str.
        size: pair of float, inches; `None` for 5.5 by 4.6 a panel.

    Returns:
        `matplotlib.figure.Figure`.
    """
    figure = new_figure(size or (5.5 * len(panels) + 0.5, 4.6), [title, *panels])
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axis, (what, found) in zip(axes, panels.items(), strict=True):
        edges, counts = histogram(found)
        for index, (name, own) in enumerate(counts.items()):
            style = line_style(index)
            shares = own / max(1, own.sum())
            axis.stairs(
                shares,
                edges,
                label=f"{name}, {_counted(own.sum())}",
                color=style["color"],
                linestyle=style["linestyle"],
                linewidth=style["linewidth"],
                fill=False,
            )
        if found["cut"] is not None:
            axis.axvline(
                found["cut"] + 0.5,
                color="0.35",
                linewidth=1.5,
                linestyle=(0, (2, 2)),
                label=cut_label(found),
            )
        axis.set(xlabel=f"length of a {what} (tokens)", ylabel="share of texts")
        axis.set_xlim(left=0)
        axis.set_ylim(bottom=0)
        below(axis)
    title_of(figure, title)
    return figure


def cut_label(found):
    """What the mark of the cut says: how many texts are longer."""
    longer = sum(one["longer"] for one in found["splits"].values())
    rows = sum(len(one["lengths"]) for one in found["splits"].values())
    share = longer / rows if rows else 0.0
    are = "is" if longer == 1 else "are"
    return f"{found['cut']:,} are read; {_counted(longer)} ({share:.1%}) {are} longer"


def _counted(rows):
    return "1 text" if rows == 1 else f"{rows:,} texts"
