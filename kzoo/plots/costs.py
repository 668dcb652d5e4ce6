"""What attention kernels cost, by the length of the text. No Keras."""

from kzoo_recipes import KzooError

from kzoo.plots.canvas import (
    SMALL,
    below,
    drawn,
    line_style,
    new_figure,
    title_of,
)

MEASURES = {
    "seconds": ("time of one call (milliseconds)", 1e3, 0),
    "bytes": ("extra memory at its peak (MiB)", 2**-20, 1),
}
FIELDS = ("lengths", "kernels", "costs")


def complexity(measured):
    """Costs as curves by kernel, with the exponents that fit them.

    Args:
        measured: dict, as `kzoo bench attention --json` prints it: "costs", list of
            dict with "kernel", "length", "seconds" and "bytes", `None` where a kernel
            could not be measured; "exponents", dict from a kernel to a pair, of time
            and of memory; "kernels", "lengths", and what else was the same for all.

    Returns:
        dict: "setting", str, what was measured on and with; "kernels", dict from a name
        to a dict of "length", list of int; "seconds" and "bytes", lists of float, with
        `None` where nothing was measured; "exponents", a pair of float or `None`.

    Raises:
        KzooError: if it is no such measurement, or nothing in it was measured.
    """
    if not isinstance(measured, dict) or not set(FIELDS) <= measured.keys():
        raise KzooError(
            "this is no measurement: it is what `kzoo bench attention --json` prints."
        )
    exponents = measured.get("exponents") or {}
    curves = {}
    for kernel in measured["kernels"]:
        costs = [one for one in measured["costs"] if one["kernel"] == kernel]
        costs.sort(key=lambda one: one["length"])
        if any(one[name] is not None for one in costs for name in MEASURES):
            curves[kernel] = {
                **{
                    name: [one[name] for one in costs]
                    for name in ("length", "seconds", "bytes")
                },
                "exponents": list(exponents.get(kernel) or (None, None)),
            }
    if not curves:
        raise KzooError("nothing was measured, so there is no curve to draw.")
    return {"setting": _setting(measured), "kernels": curves}


def _setting(measured):
    told = [measured.get("backend"), measured.get("device")]
    for name, said in (("batch", "batch"), ("heads", "heads"), ("head_dim", "head")):
        if measured.get(name) is not None:
            told.append(f"{said} {measured[name]}")
    told.append("forward and backward" if measured.get("training") else "forward")
    return ", ".join(str(one) for one in told if one)


@drawn
def complexity_figure(found, title=None, size=None):
    """Time and memory of each kernel against the length, on logarithmic axes.

    A straight line is a power of the length; the legend says which, as it was fitted.

    Args:
        found: dict, as `kzoo.plots.complexity` gives it.
        title: str. `None` for what was measured, and on what.
        size: pair of float, inches; `None` for 11 by 5.5.

    Returns:
        `matplotlib.figure.Figure`.
    """
    from matplotlib.ticker import LogLocator

    title = title or f"Cost of attention: {found['setting']}"
    figure = new_figure(size or (11, 5.6), [title, *found["kernels"]])
    axes = figure.subplots(1, 2)
    for axis, (name, (named, scale, place)) in zip(axes, MEASURES.items(), strict=True):
        for index, (kernel, own) in enumerate(found["kernels"].items()):
            points = [
                (length, value * scale)
                for length, value in zip(own["length"], own[name], strict=True)
                if value  # Nothing can be 0 on a logarithmic axis.
            ]
            if points:
                xs, ys = zip(*points, strict=True)
                label = kernel + fitted(own["exponents"][place])
                axis.plot(xs, ys, label=label, **line_style(index, len(xs)))
        axis.set(xlabel="length (tokens)", ylabel=named, yscale="log")
        axis.set_xscale("log", base=2)
        lengths = sorted(
            {n for one in found["kernels"].values() for n in one["length"]}
        )
        axis.set_xticks(lengths, [f"{n:,}" for n in lengths], fontsize=SMALL)
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        axis.minorticks_off()
        axis.grid(color="0.9", linewidth=0.8)
        if axis.lines:
            below(axis, columns=2)
    title_of(figure, title)
    return figure


def fitted(exponent):
    """`, n^1.02`; nothing where none could be fitted."""
    return "" if exponent is None else f", n^{exponent:.2f}"
