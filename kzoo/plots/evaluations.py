"""Confusions and calibration, of what `kzoo.evaluate` gives. No Keras."""

from kzoo_recipes import KzooError

from kzoo.plots.canvas import (
    COLOURS,
    POINT,
    SHADES,
    SMALL,
    drawn,
    new_figure,
    short,
    ticks,
    title_of,
)

NUMBERED = 24  # labels; of more, cells hold no numbers


def confusion(figures):
    """How often each gold label was predicted as which.

    Args:
        figures: dict, as `kzoo.evaluate` or `kzoo evaluate --json` gives it.

    Returns:
        dict: "run" and "source", str; "gold" and "predicted", lists of str, what rows
        and columns are; "counts", list of lists of int. Of a tagger that finds
        entities, the last row is "spurious", what no gold entity shares words with,
        and the last column "missed".

    Raises:
        KzooError: if the model's answers are not labels of which one is right.
    """
    _check(figures)
    if "confusion" not in figures:
        raise KzooError(
            f"{figures['run']} has no confusions: {_why(figures)} is not one label in "
            "place of another."
        )
    gold, predicted = list(figures["labels"]), list(figures["labels"])
    if len(figures["confusion"]) > len(gold):
        gold, predicted = [*gold, "spurious"], [*predicted, "missed"]
    if not gold:
        raise KzooError(f"{figures['run']}: there is no label to be confused.")
    return {
        "run": figures["run"],
        "source": figures["source"],
        "gold": gold,
        "predicted": predicted,
        "counts": figures["confusion"],
    }


def calibration(figures):
    """Whether a classifier is right as often as it believes to be.

    Args:
        figures: dict, as `kzoo.evaluate` or `kzoo evaluate --json` gives it.

    Returns:
        dict: "run" and "source", str; "error", float, the expected calibration error;
        "bins", list of dict: "from", "to", "rows", "confidence" and "accuracy", the
        latter `None` for a bin without rows.

    Raises:
        KzooError: if it is not of a classifier that gives one label to a text.
    """
    _check(figures)
    if "calibration" not in figures:
        raise KzooError(
            f"{figures['run']} has no calibration: it is measured for classifiers "
            "that give one label to a text."
        )
    return {
        "run": figures["run"],
        "source": figures["source"],
        "error": figures["calibration_error"],
        "bins": figures["calibration"],
    }


@drawn
def confusion_figure(found, title=None, size=None):
    """A confusion matrix; shades are shares of a row, numbers are counts.

    Args:
        found: dict, as `kzoo.plots.confusion` gives it.
        title: str. `None` for run and source.
        size: pair of float, inches; `None` makes room for the labels.

    Returns:
        `matplotlib.figure.Figure`.
    """
    import numpy as np

    gold, predicted = found["gold"], found["predicted"]
    title = title or f"Confusions: {found['run']} on {found['source']}"
    labels = max(len(short(name)) for name in gold) * SMALL * POINT * 0.62
    side = min(30.0, max(2.6, len(gold) * (0.5 if len(gold) <= NUMBERED else 0.14)))
    size = size or (side * 1.12 + labels + 1.4, side + labels + 1.2)
    figure = new_figure(size, [title, *gold, *predicted])
    axis = figure.subplots()
    counts = np.array(found["counts"], "float64")
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    image = axis.imshow(shares, cmap=SHADES, vmin=0, vmax=1, interpolation="none")
    if len(gold) <= NUMBERED:
        points = min(9, side / len(gold) / POINT / 4.2)
        for row, column in np.ndindex(*counts.shape):
            if row == column and gold[row] != predicted[column]:
                continue  # What is neither gold nor predicted is not counted.
            light = shares[row, column] > 0.6
            axis.text(
                column,
                row,
                f"{int(counts[row, column]):,}",
                ha="center",
                va="center",
                fontsize=points,
                color="black" if light else "white",
            )
    ticks(axis.xaxis, predicted, side)
    ticks(axis.yaxis, gold, side)
    if max(len(short(name)) for name in predicted) > 4 or len(gold) > NUMBERED:
        axis.tick_params(axis="x", rotation=90)
    axis.tick_params(length=0)
    for side in axis.spines.values():
        side.set_visible(False)
    axis.set(xlabel="predicted label", ylabel="gold label")
    figure.colorbar(image, ax=axis, label="share of the gold label's rows")
    title_of(figure, title)
    return figure


@drawn
def calibration_figure(found, title=None, size=None):
    """Accuracy against confidence, and below it how many rows there are of each.

    On the dashed line a model is right as often as it believes. Bars from it are the
    gaps that the calibration error is the mean of.

    Args:
        found: dict, as `kzoo.plots.calibration` gives it.
        title: str. `None` for run and source.
        size: pair of float, inches; `None` for 5 by 5.5.

    Returns:
        `matplotlib.figure.Figure`.
    """
    title = title or f"Calibration: {found['run']} on {found['source']}"
    figure = new_figure(size or (5.2, 5.6), [title])
    top, below = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    filled = [one for one in found["bins"] if one["rows"]]
    xs = [one["confidence"] for one in filled]
    ys = [one["accuracy"] for one in filled]
    top.plot([0, 1], [0, 1], "--", color="0.5", linewidth=1, label="as believed")
    top.vlines(xs, xs, ys, color=COLOURS[1], linewidth=3, alpha=0.5, label="gap")
    top.plot(xs, ys, "o-", color=COLOURS[0], markersize=4, label="measured")
    top.set(xlim=(0, 1), ylim=(0, 1.02), ylabel="accuracy (share of rows)")
    top.set_title(f"calibration error {found['error']:.4f}", fontsize=SMALL + 2)
    top.legend(loc="upper left")
    edges = [one["from"] for one in found["bins"]]
    widths = [one["to"] - one["from"] for one in found["bins"]]
    counts = [one["rows"] for one in found["bins"]]
    below.bar(edges, counts, widths, align="edge", color=COLOURS[0], edgecolor="white")
    below.set(xlabel="confidence (probability of the predicted label)", ylabel="rows")
    title_of(figure, title)
    return figure


def _check(figures):
    if not isinstance(figures, dict) or not {"task", "run", "source"} <= figures.keys():
        raise KzooError(
            "this is no evaluation: it is what `kzoo evaluate RUN --json` prints."
        )


def _why(figures):
    return {
        "masked_lm": "a hidden token",
        "span_corruption": "a missing span",
        "summarizer": "a summary",
        "text_classifier": "any number of labels",
    }.get(figures["task"], "its answer")
