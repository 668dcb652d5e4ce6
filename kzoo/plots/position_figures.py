"""Position schemes as pictures, a panel for each thing they say."""

from kzoo.plots.canvas import (
    SHADES,
    SMALL,
    below,
    drawn,
    line_style,
    new_figure,
    title_of,
)

AXES = {
    "pattern": ("dimension", "position (tokens)", "what is added"),
    "similarity": ("position (tokens)", "position (tokens)", "cosine"),
    "decay": ("distance (tokens)", "score, relative to distance 0", None),
    "bias": ("key's place less the query's (tokens)", "added to the score", None),
}


@drawn
def positions_figure(panels, title="Positions", size=None):
    """What a position scheme says.

    Args:
        panels: list of dict, as `kzoo.plots.positions` gives it.
        title: str.
        size: pair of float, inches; `None` for 5.5 by 4.5 a panel.

    Returns:
        `matplotlib.figure.Figure`.
    """
    size = size or (5.5 * len(panels), 4.5)
    figure = new_figure(size, [title])
    for axis, panel in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True
    ):
        x_name, y_name, shade = AXES[panel["kind"]]
        if shade is not None:
            image = axis.imshow(
                panel["values"],
                cmap=SHADES,
                aspect="auto" if panel["kind"] == "pattern" else "equal",
                interpolation="none",
            )
            figure.colorbar(image, ax=axis, label=shade, shrink=0.85)
        elif panel["kind"] == "decay":
            for index, (name, values) in enumerate(panel["curves"].items()):
                style = line_style(index, len(values))
                axis.plot(panel["distance"], values, label=name, **style)
            axis.axhline(0, color="0.6", linewidth=0.8)
            axis.legend()
        else:
            _biases(axis, panel)
        axis.set(xlabel=x_name, ylabel=y_name)
        axis.set_title(panel["title"], fontsize=SMALL + 2)
    title_of(figure, title)
    return figure


def _biases(axis, panel):
    heads = panel["heads"]
    for head, values in enumerate(heads):
        style = line_style(head, len(values))
        axis.plot(panel["offset"], values, label=f"head {head}", **style)
    if len(heads) > 1:
        below(axis, columns=4)
