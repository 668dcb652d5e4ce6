"""The curves of runs, from what they wrote while they trained. No Keras."""

from pathlib import Path

from kzoo_recipes import KzooError
from kzoo_recipes.histories import HISTORY, read_history
from kzoo_recipes.loader import expanded
from kzoo_recipes.run_folders import meant, running_folder, runs_near

from kzoo.plots.canvas import drawn, line_style, new_figure, one_line, title_of

NOT_CURVES = ("split", "epoch", "step", "best")
LONGEST = 40  # characters of a name in a legend
AXES = {"step": "step (updates of the weights)", "epoch": "epoch"}
UNITS = {
    "loss": "loss (nats)",
    "learning_rate": "learning rate",
    "examples_per_second": "examples per second",
    "padding_share": "share of padding",
}


def history(runs, metrics=None, output="saved_models"):
    """What runs wrote while they trained.

    Args:
        runs: list of str or `Path`. Folders of runs, finished or not; or of several,
            as the name of a recipe, which stands for all of its runs.
        metrics: list of str, what to draw. `None` is the loss and, of `dev`, what the
            runs name first besides.
        output: str or `Path`. The folder for runs.

    Returns:
        dict: "metrics", list of str; "runs", list of dict: "run", str; "curves", by
        metric and then by split ("train", "dev"), dict of "step", list of int,
        "epoch" and "value", lists of float, `None` where the number was not finite;
        "best", the step of the best evaluation, or `None`.

    Raises:
        KzooError: if there is no such run, it has written nothing yet, or no run has
            such a metric.
    """
    folders = {}
    for run in runs:
        folders |= dict.fromkeys(_folders(run, output))
    read = {folder: _records(folder) for folder in folders}
    known = _known(record for records in read.values() for record in records)
    if metrics is None:
        others = [name for name, splits in known.items() if "dev" in splits]
        others = [name for name in others if name != "loss"]
        metrics = [name for name in ("loss", *others[:1]) if name in known]
    for metric in metrics:
        if metric not in known:
            raise KzooError(
                f'no run has written "{metric}"; there is {", ".join(known)}.'
            )
    names = _names(list(folders))
    return {
        "metrics": list(metrics),
        "runs": [
            _curves(name, records, metrics)
            for name, records in zip(names, read.values(), strict=True)
        ],
    }


@drawn
def history_figure(found, by="step", title=None, size=None):
    """The curves of runs, a panel for each metric.

    Training is a thin line, each evaluation of dev a marker, the best of them a star.

    Args:
        found: dict, as `kzoo.plots.history` gives it.
        by: "step" or "epoch", what the horizontal axis is.
        title: str. `None` for the runs' names.
        size: pair of float, inches; `None` for 5 by 4 a panel, or what the names of
            the runs need.

    Returns:
        `matplotlib.figure.Figure`.

    Raises:
        ValueError: if `by` is neither.
    """
    if by not in AXES:
        raise ValueError(f"`by` must be one of {(*AXES,)}. Received: by={by!r}")
    runs, metrics = found["runs"], found["metrics"]
    title = title or "Training of " + ", ".join(one["run"] for one in runs)
    width = 5 * len(metrics) + 1
    lines = sum(len(set().union(*one["curves"].values())) for one in runs)
    size = size or (width, 3.6 + 0.18 * -(-lines // _columns(runs, width)))
    figure = new_figure(size, [title, *(one["run"] for one in runs)])
    axes = figure.subplots(1, len(metrics), squeeze=False)[0]
    for axis, metric in zip(axes, metrics, strict=True):
        for index, one in enumerate(runs):
            for split, curve in one["curves"].get(metric, {}).items():
                _draw(axis, index, one, split, curve, by)
        axis.set(xlabel=AXES[by], ylabel=UNITS.get(metric, metric))
        axis.xaxis.get_major_locator().set_params(integer=by == "step", min_n_ticks=1)
    marks, labels = axes[0].get_legend_handles_labels()
    for axis in axes[1:]:  # A run may have written one of them only.
        for mark, label in zip(*axis.get_legend_handles_labels(), strict=True):
            if label not in labels:
                marks.append(mark)
                labels.append(label)
    columns = min(len(labels), _columns(runs, size[0]))
    figure.legend(marks, labels, loc="outside lower center", ncols=columns)
    title_of(figure, title)
    return figure


def _draw(axis, index, run, split, curve, by):
    xs = curve[by]
    ys = [float("nan") if value is None else value for value in curve["value"]]
    style = line_style(index, len(xs))
    if split == "train":
        alone = {"marker": "."} if len(xs) == 1 else {"marker": None}
        style |= {"linewidth": 0.8, "alpha": 0.8, **alone}
    axis.plot(xs, ys, label=f"{_name(run)}, {split}", **style)
    if split == "dev" and run["best"] in curve["step"]:
        at = curve["step"].index(run["best"])
        axis.plot(
            xs[at], ys[at], marker="*", markersize=11, color=style["color"], zorder=3
        )


def _name(run):
    """A run's name; of a long one the end, in which runs differ."""
    name = one_line(run["run"])
    return name if len(name) <= LONGEST else "…" + name[1 - LONGEST :]


def _columns(runs, inches):
    """Columns of a legend that a figure has room for."""
    widest = max(len(_name(run)) for run in runs) * 0.065 + 1.0
    return max(1, int(inches / widest))


def _folders(run, output):
    """The folders of runs that `run` means, each with a history."""
    path = expanded(run)
    places = [path, Path(output) / path] if len(path.parts) == 1 else [path]
    for place in places:
        for folder in (place, running_folder(place)):
            if (folder / HISTORY).is_file():
                return [folder]
        inside = {_plain(p.parent.name): p.parent for p in place.glob(f"*/{HISTORY}")}
        if inside:
            return [inside[name] for name in sorted(inside)]
    if path.is_dir():
        raise KzooError(f"{run} is no run, and holds none: it has no {HISTORY}.")
    hint = meant(runs_near(path, output, HISTORY))
    raise KzooError(f"{run}: there is no such run{hint or '; name the folder of one.'}")


def _plain(name):
    """What the folder of a run is called, once it is complete."""
    return name.removeprefix(".").removesuffix(".running")


def _records(folder):
    records = [
        record
        for record in read_history(folder / HISTORY)
        if isinstance(record.get("step"), int) and isinstance(record.get("split"), str)
    ]
    if not records:
        raise KzooError(f"{folder / HISTORY} has no record yet; let the run go on.")
    return records


def _known(records):
    """Every number that records have, with the splits that have it, in order."""
    known = {}
    for record in records:
        for name, value in record.items():
            if name not in NOT_CURVES and isinstance(value, int | float | None):
                known.setdefault(name, {})[record["split"]] = True
    return known


def _names(folders):
    """The shortest ends of paths that tell runs apart, two names at least."""
    parts = [
        [*folder.absolute().parts[:-1], _plain(folder.absolute().name)]
        for folder in folders
    ]
    for length in range(2, max(map(len, parts)) + 1):
        names = ["/".join(own[-length:]) for own in parts]
        if len(set(names)) == len(names):
            return names
    return [str(folder) for folder in folders]


def _curves(name, records, metrics):
    epochs = [one for one in records if one.get("epoch")]
    rate = epochs[-1]["epoch"] / epochs[-1]["step"] if epochs else None
    curves = {}
    for metric in metrics:
        for record in records:
            if metric not in record:
                continue
            curve = curves.setdefault(metric, {}).setdefault(
                record["split"], {"step": [], "epoch": [], "value": []}
            )
            epoch = record.get("epoch") or (rate and round(record["step"] * rate, 4))
            curve["step"].append(record["step"])
            curve["epoch"].append(epoch)
            curve["value"].append(record[metric])
    best = [one["step"] for one in records if one.get("best")]
    return {"run": name, "best": best[-1] if best else None, "curves": curves}
