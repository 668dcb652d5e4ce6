"""Two backends' numbers against each other, and how far apart they may be."""

import dataclasses
import math

import numpy as np

# What is compared, in the order of computation: how far apart two backends may be on
# CPUs and, where one of them is a GPU, there. The measures are those of `MEASURES`.
TOLERANCES = {
    "cpu": {
        "initial": 0,
        "activation": 1e-5,
        "logits": 1e-5,
        "gradient": 1e-4,
        "losses": 1e-4,
        "trained": 1e-4,
        "counters": 0,
        "predicted": 0,
    },
    "gpu": {
        "initial": 0,
        "activation": 1e-4,
        "logits": 1e-4,
        "gradient": 1e-3,
        "losses": 1e-3,
        "trained": 1e-3,
        "counters": 0,
        "predicted": 0,
    },
}
# Entries of a gradient below this share of the model's largest one are rounding: a
# hundred-millionth of it stays below what float32 can tell apart.
NOISE = 1e-4
STRAYS = 1000
BFLOAT16_EPSILON = 2.0**-7


@dataclasses.dataclass(frozen=True)
class Row:
    """One quantity on two backends.

    Attributes:
        kind: str. A key of `TOLERANCES["cpu"]`.
        name: str. The layer or weight, empty for what there is one of.
        difference: float. In the measure of its kind; infinite if a number is not
            finite. `None` if only one of the two has the quantity, in this shape.
        tolerance: float, or `None` for what must be finite and no more.
    """

    kind: str
    name: str
    difference: float | None
    tolerance: float | None

    @property
    def agrees(self):
        if self.difference is None or not math.isfinite(self.difference):
            return False
        return self.tolerance is None or self.difference <= self.tolerance


def tolerances(devices=("cpu",), precision="float32", depth=0):
    """How far apart two backends may be, by kind.

    Args:
        devices: list of str. What they compute on; all that is not `"cpu"` is a GPU.
        precision: str. `"mixed_bfloat16"` allows the rounding of bfloat16 times the
            depth for a pass, gradients two passes, and only asks of training that
            it stays finite.
        depth: int. Sub-layers, one after the other.
    """
    limits = TOLERANCES["cpu" if set(devices) == {"cpu"} else "gpu"]
    if precision != "mixed_bfloat16":
        return limits
    rounding = depth * BFLOAT16_EPSILON
    once = {"activation": rounding, "logits": rounding, "gradient": 2 * rounding}
    return {**limits, **once, **dict.fromkeys(("losses", "trained", "predicted"))}


def compare(one, other, limits):
    """Every quantity of two backends, in the order of computation.

    Args:
        one: mapping of numpy arrays, as `kzoo.parity.numbers.measure` fills it.
        other: likewise.
        limits: dict from `tolerances`.

    Returns:
        list of `Row`.
    """
    largest = max((_largest(one[n]) for n in one if _kind(n) == "gradient"), default=0)
    names = [*one, *(name for name in other if name not in one)]
    rows = []
    for full_name in names:
        kind, _, name = full_name.partition("|")
        difference = None
        if full_name in one and full_name in other:
            a, b = one[full_name], other[full_name]
            if a.shape == b.shape:
                difference = MEASURES[kind](a, b, largest)
        rows.append(Row(kind, name, difference, limits[kind]))
    return sorted(rows, key=lambda row: list(limits).index(row.kind))


def first_difference(rows):
    """Name what differs first, in the order of computation.

    Args:
        rows: list of `Row`, from `compare`.

    Returns:
        A sentence without its end that names it, with difference and tolerance, or
        `None` if all agree.
    """
    row = next((row for row in rows if not row.agrees), None)
    if row is None:
        return None
    what = f"first differing {WORDS[row.kind]}"
    if row.name:
        what += f": {row.name}"
    if row.difference is None:
        return f"{what} (only one of the two has it, or in another shape)"
    if not math.isfinite(row.difference):
        return f"{what} (not a finite number)"
    return f"{what} (by {row.difference:.1e}, where {row.tolerance:.0e} is allowed)"


WORDS = {
    "initial": "initial weight",
    "activation": "activation",
    "logits": "number: logits",
    "gradient": "gradient",
    "losses": "number: losses",
    "trained": "trained weight",
    "counters": "counter of dropout",
    "predicted": "number: predictions",
}


def _kind(name):
    return name.partition("|")[0]


def _largest(values):
    return float(np.abs(values).max(initial=0.0))


def _unequal(a, b, largest):
    """Entries that are not equal bit for bit."""
    return float((a != b).sum())


def _moved(a, b, largest):
    """The largest distance but for one in `STRAYS` of the entries that differ at all.

    Adam divides a gradient by its own size, so where a gradient passes through zero,
    rounding alone decides how far that entry goes.
    """
    distances = np.abs(_double(a) - b)
    worst = _worst(distances)
    if not math.isfinite(worst):
        return worst
    apart = np.sort(distances[distances > 0], axis=None)
    return float(apart[-1 - len(apart) // STRAYS]) if len(apart) else 0.0


def _relative(a, b, largest):
    """The largest distance as a share of the number, itself."""
    return _ratio(np.abs(_double(a) - b), np.abs(_double(a)))


def _near(a, b, largest):
    """The largest distance as a share of 1 + the number: rtol and atol in one."""
    return _worst(np.abs(_double(a) - b) / (1 + np.abs(_double(a))))


def _of_the_largest(a, b, largest):
    """The largest distance as a share of the weight's largest entry."""
    scale = max(_largest(a), NOISE * largest)
    return _ratio(np.abs(_double(a) - b), scale)


def _ratio(distances, scale):
    with np.errstate(divide="ignore", invalid="ignore"):
        return _worst(np.where(distances == 0, 0.0, distances / scale))


def _worst(distances):
    worst = float(distances.max(initial=0.0))
    return math.inf if math.isnan(worst) else worst


def _double(values):
    return values.astype("float64")


MEASURES = {
    "initial": _unequal,
    "activation": _near,
    "logits": _near,
    "gradient": _of_the_largest,
    "losses": _relative,
    "trained": _moved,
    "counters": _unequal,
    "predicted": _unequal,
}
