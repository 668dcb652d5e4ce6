"""Drawings as inline SVG: no script, no font, no file; colours follow the page."""

from kzoo.reports.markup import counted, element, escaped, joined

NUMBERED = 24  # labels; of more, the cells of a confusion matrix hold no numbers


def confusion_matrix(names, counts, columns=None):
    """Gold labels down, predicted ones across; the darker, the larger a row's share.

    Args:
        names: list of str.
        counts: list of lists of int.
        columns: list of str, as many, what stands above. `None` for `names`.
    """
    columns = names if columns is None else columns
    size = max(14, min(72, 640 // len(names)))
    left = 12 + min(160, 7 * max(len(short(name)) for name in names))
    top, classes = 46, len(names)
    pieces = [
        text(left + classes * size / 2, 14, "predicted", "middle", "axis"),
    ]
    for place, (name, column) in enumerate(zip(names, columns, strict=True)):
        middle = place * size + size / 2
        if size >= 40:
            label = text(left + middle, top - 8, short(column, size // 7), "middle")
        else:
            above = place + 1 if column == name else short(column, 6)
            label = text(left + middle, top - 8, above, "middle", "tiny")
        pieces.append(label)
        own = short(name) if size >= 40 else f"{place + 1} {short(name, 18)}"
        pieces.append(text(left - 8, top + middle + 4, own, "end"))
    for gold, row in enumerate(counts):
        total = sum(row)
        for said, count in enumerate(row):
            if gold == said and names[gold] != columns[said]:
                continue  # What is neither gold nor predicted is not counted.
            share = count / total if total else 0.0
            x, y = left + said * size, top + gold * size
            pieces.append(cell(x, y, size, share, gold == said))
            if classes <= NUMBERED:
                shade = "strong" if share > 0.55 else None
                where = (x + size / 2, y + size / 2 + 4)
                pieces.append(text(*where, f"{count:,}", "middle", shade))
            said_as = "is" if columns[said] != names[said] else "predicted as"
            both = f"{names[gold]} {said_as} {columns[said]}"
            pieces.append(hint(x, y, size, f"{both}: {count:,} ({share:.1%})"))
    return drawing(left + classes * size + 12, top + classes * size + 12, pieces)


def cell(x, y, size, share, right):
    return element(
        "rect",
        x=number(x + 1),
        y=number(y + 1),
        width=size - 2,
        height=size - 2,
        rx=3,
        class_="right" if right else "wrong",
        fill_opacity=number(0.04 + 0.96 * share),
    )


def hint(x, y, size, title):
    """An unseen rectangle that says `title` to a pointer and a screen reader."""
    return element(
        "rect",
        element("title", title),
        x=number(x),
        y=number(y),
        width=size,
        height=size,
        fill_opacity=0,
    )


def calibration_curve(bins):
    """Accuracy against confidence: a circle per bin, as large as its rows are many.

    Args:
        bins: list of dicts, see `kzoo.metrics.calibration`.
    """
    left, top, side = 44, 26, 320
    most = max(one["rows"] for one in bins)

    def at(confidence, accuracy):
        return left + confidence * side, top + (1 - accuracy) * side

    pieces = []
    for tick in (0, 0.25, 0.5, 0.75, 1):
        x, y = at(tick, tick)
        pieces += [
            line(left, y, left + side, y, "grid"),
            line(x, top, x, top + side, "grid"),
            text(left - 8, y + 4, f"{tick:g}", "end"),
            text(x, top + side + 18, f"{tick:g}", "middle"),
        ]
    pieces.append(line(*at(0, 0), *at(1, 1), "ideal"))
    filled = [one for one in bins if one["rows"]]
    points = [at(one["confidence"], one["accuracy"]) for one in filled]
    path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    pieces.append(element("polyline", points=path, class_="curve"))
    for one, (x, y) in zip(filled, points, strict=True):
        title = (
            f"{counted(one['rows'], 'row')} from {one['from']:.2f} to {one['to']:.2f}: "
            f"confidence {one['confidence']:.3f}, accuracy {one['accuracy']:.3f}"
        )
        pieces.append(
            element(
                "circle",
                element("title", title),
                cx=number(x),
                cy=number(y),
                r=number(2.5 + 7.5 * (one["rows"] / most) ** 0.5),
                class_="point",
            )
        )
    middle, low = left + side / 2, top + side + 38
    pieces.append(text(middle, low, "confidence", "middle", "axis"))
    pieces.append(text(left - 40, 11, "accuracy", "start", "axis"))
    return drawing(left + side + 16, low + 8, pieces)


def whisker(value, low, high, least=0.0, most=1.0):
    """A value with its interval on a line from `least` to `most`."""
    width, height = 200, 16

    def at(figure):
        inside = min(max(figure, least), most)
        return 4 + (width - 8) * (inside - least) / (most - least)

    pieces = [
        line(4, 8, width - 4, 8, "grid"),
        line(at(low), 8, at(high), 8, "interval"),
        line(at(value), 2, at(value), 14, "tick"),
    ]
    return drawing(width, height, pieces, class_="inline")


def bar(share):
    """A share from 0 to 1 as a bar."""
    pieces = [
        element("rect", x=0, y=4, width=100, height=8, rx=2, class_="wrong"),
        element(
            "rect", x=0, y=4, width=number(100 * share), height=8, rx=2, class_="right"
        ),
    ]
    return drawing(100, 16, pieces, class_="inline")


def drawing(width, height, pieces, class_="drawing"):
    return element(
        "svg",
        joined(pieces),
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=number(width),
        height=number(height),
        class_=class_,
    )


def line(x1, y1, x2, y2, class_):
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return element("line", **{k: number(v) for k, v in ends.items()}, class_=class_)


def text(x, y, written, anchor, class_=None):
    return element(
        "text", written, x=number(x), y=number(y), text_anchor=anchor, class_=class_
    )


def short(name, most=22):
    """A name that fits its place."""
    return name if len(name) <= most else name[: max(1, most - 1)] + "…"


def number(value):
    """A coordinate, to the tenth."""
    return escaped(f"{value:.2f}".rstrip("0").rstrip("."))
