"""Attention weights as heat maps, a panel for each layer and head."""

import math

from kzoo.plots.canvas import (
    POINT,
    SHADES,
    SMALL,
    drawn,
    new_figure,
    short,
    ticks,
    title_of,
)

PER_TOKEN = SMALL * POINT * 1.25  # inches, enough for a label at each
WIDEST = 36.0  # inches of all panels together
LEAST = 1.2  # inches of one panel
LOOKING = {
    "encoder": ("token that looks", "token looked at"),
    "decoder": ("token that looks", "token looked at"),
    "cross": ("token written", "token read"),
}


@drawn
def attention_figure(found, title=None, size=None):
    """Heat maps of attention, layers from top to bottom and heads from left to right.

    Rows of a map add up to 1: they are the tokens that look. One scale serves all maps
    of the figure.

    Args:
        found: `kzoo.plots.Attention`.
        title: str. `None` for what the maps are.
        size: pair of float, inches. `None` makes room for the tokens, up to a point:
            beyond it every few are labelled, and the axis says so.

    Returns:
        `matplotlib.figure.Figure`.
    """
    rows, columns = len(found.layers), len(found.heads)
    title = title or default_title(found)
    names = [short(name) for name in (*found.queries, *found.keys)]
    if size is None:
        size = _size(found, max(map(len, names), default=1))
    figure = new_figure(size, [title, *names])
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    most = float(found.weights.max()) if found.weights.size else 1.0
    image = None
    for row, layer in enumerate(found.layers):
        for column, head in enumerate(found.heads):
            axis = axes[row, column]
            image = axis.imshow(
                found.weights[row, column],
                cmap=SHADES,
                vmin=0.0,
                vmax=most or 1.0,
                aspect="auto",
                interpolation="none",
            )
            axis.set_title(_panel(layer, head), fontsize=SMALL + 1)
            axis.tick_params(length=0)
            for side in axis.spines.values():
                side.set_visible(False)
    inches = size[0] * 0.78 / columns, size[1] * 0.72 / rows
    asked, looked = LOOKING[found.kind]
    every = ticks(axes[-1, 0].xaxis, found.keys, inches[0])
    for axis in axes[-1]:
        axis.tick_params(axis="x", rotation=90)
    figure.supxlabel(_axis(looked, every), fontsize=SMALL + 1)
    every = ticks(axes[0, 0].yaxis, found.queries, inches[1])
    figure.supylabel(_axis(asked, every), fontsize=SMALL + 1)
    named = "share in the token" if found.heads == ["rollout"] else "share of attention"
    figure.colorbar(image, ax=axes, label=named, fraction=0.05, pad=0.01, aspect=30)
    title_of(figure, title)
    return figure


def default_title(found):
    """What a figure of attention is of."""
    what = "Attention rollout" if found.heads == ["rollout"] else "Attention"
    return f"{what}, {'cross-attention' if found.kind == 'cross' else found.kind}"


def _size(found, longest):
    """Inches of a whole figure in which tokens can be read, if that is possible."""
    rows, columns = len(found.layers), len(found.heads)
    labels = longest * SMALL * POINT * 0.62  # beside and below the maps

    def side(tokens, panels):
        return max(LEAST, min(tokens * PER_TOKEN, WIDEST / panels))

    width = columns * (side(len(found.keys), columns) + 0.15)
    height = rows * (side(len(found.queries), rows) + 0.3)
    return max(4.2, width / 0.92 + labels + 1.1), max(3.0, height + labels + 1.1)


def _panel(layer, head):
    return f"layer {layer}, " + (f"head {head}" if isinstance(head, int) else head)


def _axis(name, every):
    return name if every == 1 else f"{name} (every {_ordinal(every)} is named)"


def _ordinal(number):
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def readable(found):
    """How many tokens a map of `found` can name all of, at the size that it has."""
    panels = max(len(found.layers), len(found.heads))
    return math.floor(WIDEST / panels / PER_TOKEN)
