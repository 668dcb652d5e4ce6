"""Numbers as characters: shaded tables, bars and curves for a terminal."""

import itertools
import math

from ..output import cut as cut_line
from ..output import one_line

SHADES = " ░▒▓█"
BARS = " ▏▎▍▌▋▊▉█"
# The bits of a braille character: 2 columns of 4 dots.
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
BRAILLE = 0x2800
SIGNS = "ox^+*#@%"  # of curves in one frame


def table_of_shades(values, rows, columns, width, least=0.0, most=None):
    """Numbers as shades, in a row for each label.

    Args:
        values: float `(rows, columns)`; NaN is drawn as `·`.
        rows: list of str, what stands before each row.
        columns: list of int, what stands above each column.
        width: int. Characters of a line; more columns go on in a block below.
        least, most: float. What the lightest and the darkest shade are; `None` takes
            the largest value.

    Returns:
        list of str, what the shades mean last.
    """
    import numpy as np

    values = np.asarray(values, "float64")
    most = float(np.nanmax(values, initial=least)) if most is None else most
    left = max(map(cells, rows), default=0)
    size = max(2, *(len(str(number)) + 1 for number in columns))
    if left + 1 + 4 * len(columns) <= min(width, 60):
        size = 4
    at_once = max(4, (width - left - 1) // size)
    lines = []
    for start in range(0, len(columns), at_once):
        part = range(start, min(start + at_once, len(columns)))
        numbers = "".join(f"{columns[at]:>{size}}" for at in part)
        lines.append(" " * (left + 1) + numbers)
        for label, row in zip(rows, values, strict=True):
            shades = "".join(shade(row[at], least, most) * size for at in part)
            lines.append(f"{label}{' ' * (left - cells(label))} {shades}".rstrip())
        lines.append("")
    step = (most - least) / (len(SHADES) - 1)
    scale = "  ".join(
        f"{SHADES[level]} from {least + step * (level - 0.5):.2g}"
        for level in range(1, len(SHADES))
    )
    return [*lines, f"{scale}, at most {most:.2g}"]


def numbered(names):
    """Names with their numbers before them, as rows of a table."""
    return [f"{at:>3} {cut(name, 14)}" for at, name in enumerate(names)]


def listed(names, width):
    """Names with their numbers, in lines of a width."""
    lines, line = [], ""
    for at, name in enumerate(names):
        word = f"{at} {cut(name, 24)}"
        if line and cells(line) + cells(word) + 2 > width:
            lines.append(line)
            line = ""
        line += ("  " if line else "") + word
    return [*lines, line]


def shade(value, least, most):
    """The character of a value from `least` to `most`."""
    if math.isnan(value):
        return "·"
    share = (value - least) / (most - least) if most > least else 0.0
    level = round(share * (len(SHADES) - 1))
    return SHADES[max(0, min(level, len(SHADES) - 1))]


def bars(names, values, width, form="{:,}"):
    """A horizontal bar for each value.

    Args:
        names: list of str.
        values: list of numbers, none negative.
        width: int. Characters of a line.
        form: str. How a value is written behind its bar.

    Returns:
        list of str.
    """
    labels = [cut(name, 24) for name in names]
    left = max(map(cells, labels), default=0)
    written = [form.format(value) for value in values]
    room = max(4, width - left - 2 - max(map(len, written), default=0))
    most = max(values, default=0) or 1
    lines = []
    for label, value, said in zip(labels, values, written, strict=True):
        eighths = round(value / most * room * 8)
        bar = BARS[-1] * (eighths // 8) + BARS[eighths % 8].strip()
        lines.append(f"{' ' * (left - cells(label))}{label} {bar} {said}")
    return lines


def curves(lines, width, height=14, x_name="", y_name="", log=False):
    """Curves in one frame, in dots of braille; each is named by a sign at its points.

    Args:
        lines: dict from a name to a pair of lists, x and y; `None` is no point.
        width, height: int. Characters of the frame.
        x_name, y_name: str. What the axes are, with their units.
        log: bool. Whether both axes are logarithmic.

    Returns:
        list of str.
    """
    import numpy as np

    dots = np.array(DOTS)
    points = {name: _finite(*pair, log) for name, pair in lines.items()}
    every = np.concatenate([p for p in points.values() if len(p)] or [np.empty((0, 2))])
    if not len(every):
        return ["there is no point to draw"]
    low, high = every.min(axis=0), every.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    ends = [f"{10**y if log else y + 0.0:.3g}" for y in (high[1], low[1])]
    left = max(map(len, ends)) + 1
    columns = max(10, width - left - 1)
    field = np.zeros((height * 4, columns * 2), bool)
    signs = {}
    for number, own in enumerate(points.values()):
        size = np.array([columns * 2 - 1, height * 4 - 1])
        places = np.rint((own - low) / span * size).astype(int)
        for start, end in itertools.pairwise(places):
            steps = max(1, *np.abs(end - start))
            for x, y in np.rint(np.linspace(start, end, steps + 1)).astype(int):
                field[height * 4 - 1 - y, x] = True
        step = max(1, len(places) // 8)
        for x, y in [*places[::step], *places[-1:]]:
            row, column = (height * 4 - 1 - y) // 4, x // 2
            signs[row, column] = SIGNS[number % len(SIGNS)]
    drawn = [f"{y_name}"] if y_name else []
    for row in range(height):
        block = field[row * 4 : row * 4 + 4].reshape(4, columns, 2)
        codes = (block * dots[:, None, :]).sum(axis=(0, 2))  # (columns,)
        text = "".join(
            signs.get((row, at)) or (chr(BRAILLE + code) if code else " ")
            for at, code in enumerate(codes)
        )
        end = {0: ends[0], height - 1: ends[1]}.get(row, "")
        drawn.append(f"{end:>{left}}│{text}".rstrip())
    drawn.append(" " * left + "└" + "─" * columns)
    first, last = (f"{10**x if log else x:.4g}" for x in (low[0], high[0]))
    gap = columns - len(first) - len(last)
    middle = cut(x_name, max(0, gap - 2)).center(max(1, gap))
    drawn.append(" " * (left + 1) + first + middle + last)
    named = (f"{SIGNS[n % len(SIGNS)]} {name}" for n, name in enumerate(points))
    return [*drawn, *named]


def _finite(xs, ys, log):
    """Points `(n, 2)`, those left out that cannot be drawn."""
    import numpy as np

    points = np.array(
        [(x, y) for x, y in zip(xs, ys, strict=True) if None not in (x, y)], "float64"
    ).reshape(-1, 2)
    points = points[np.isfinite(points).all(axis=1)]
    return np.log10(points[(points > 0).all(axis=1)]) if log else points


def cells(text):
    """Columns of a terminal that `text` takes."""
    from rich.cells import cell_len

    return cell_len(text)


def cut(text, most):
    """As much of `text` as fits into `most` columns, in one line."""
    return cut_line(one_line(str(text)) or "␣", most)
