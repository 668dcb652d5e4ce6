"""Figures without a display: one style, letters of any script, files equal in bits."""

import contextlib
import functools
import importlib.util
import io
import math
import textwrap
import warnings

from kzoo_recipes import KzooError

ENDINGS = (".png", ".svg", ".pdf")
DPI = 150
SMALL, BODY, LARGE = 7, 9, 11  # points
POINT = 1 / 72  # inches
CUT = 18  # characters of a token or label that an axis shows
SHADES = "cividis"  # rises evenly in lightness, so it reads in grey
# Lines differ in lightness, in stroke and in marker, for eyes and printers of any kind.
COLOURS = ("#0b1f4b", "#c2571a", "#3f8f8b", "#8a4f9e", "#7a7a33", "#4f83cc")
STROKES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
STYLE = {
    "font.size": BODY,
    "axes.titlesize": BODY,
    "axes.labelsize": BODY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "figure.titlesize": LARGE,
    "savefig.facecolor": "white",
    "text.parse_math": False,  # A dollar is a dollar.
    "text.usetex": False,
    "svg.fonttype": "path",  # The same letters wherever it is opened.
    "svg.hashsalt": "kzoo",
    "pdf.fonttype": 42,
    "path.simplify": True,
}
# What would say when, and with what, a file was made.
METADATA = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": "kzoo"},
    "pdf": {"CreationDate": None, "Creator": "kzoo", "Producer": None},
}


def check_matplotlib():
    """Raise a `KzooError` that says how to install Matplotlib if it is not."""
    if importlib.util.find_spec("matplotlib") is None:
        raise KzooError(
            'figures need Matplotlib, which is not installed; `pip install "kzoo'
            '[plots]"` brings it.'
        )


def drawn(function):
    """Let a function draw in kzoo's own style, whatever else the process draws."""

    @functools.wraps(function)
    def inside(*args, **kwargs):
        check_matplotlib()
        import matplotlib

        with matplotlib.rc_context(), _quiet():
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(STYLE)
            return function(*args, **kwargs)

    return inside


def new_figure(size, texts=()):
    """An empty `matplotlib.figure.Figure`, which no window will show by itself.

    Args:
        size: pair of float. Width and height in inches.
        texts: iterable of str. What will be written, to choose fonts that have it.
    """
    import matplotlib
    from matplotlib.figure import Figure

    families, _ = fonts_for(texts)
    matplotlib.rcParams["font.family"] = families
    return Figure(figsize=size, layout="constrained")


def file_of(figure, ending, dpi=DPI):
    """A figure as the bytes of a file; equal figures give equal bytes.

    Args:
        figure: `matplotlib.figure.Figure`.
        ending: str. One of `ENDINGS`.
        dpi: int. Dots per inch, of a PNG and of images in the others.

    Returns:
        bytes.
    """
    import matplotlib

    stream, form = io.BytesIO(), ending.removeprefix(".")
    with matplotlib.rc_context(), _quiet():
        matplotlib.rcParams.update(STYLE)
        figure.savefig(stream, format=form, dpi=dpi, metadata=METADATA[form])
    return stream.getvalue()


def fonts_for(texts):
    """Font families that have the letters of `texts`, in order, as far as any does.

    Returns:
        list of str, Matplotlib's own font first, and str, the letters that no font
        of this machine has.
    """
    from matplotlib import font_manager

    own = "DejaVu Sans"
    families = [own]
    lacking = {letter for text in texts for letter in text if letter.isprintable()}
    lacking -= _letters_of(font_manager.findfont(own))
    if lacking:
        fonts = {font.name: font.fname for font in font_manager.fontManager.ttflist}
        for name, path in sorted(fonts.items()):
            found = lacking & _letters_of(path)
            if found:
                families.append(name)
                lacking -= found
            if not lacking:
                break
    return families, "".join(sorted(lacking))


def _letters_of(path):
    from matplotlib.ft2font import FT2Font

    try:
        return set(map(chr, FT2Font(path).get_charmap()))
    except (OSError, RuntimeError, ValueError):
        return set()  # A font of a kind that Matplotlib does not read.


@contextlib.contextmanager
def _quiet():
    """Matplotlib warns of each missing letter; kzoo says it once, and which."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def line_style(index, points=2):
    """Arguments of `Axes.plot` that tell a line from the others, also in grey.

    Args:
        index: int. Which line it is.
        points: int. How many points it has; of many, a few have markers.
    """
    return {
        "color": COLOURS[index % len(COLOURS)],
        "linestyle": STROKES[index % len(STROKES)],
        "marker": MARKERS[index % len(MARKERS)],
        "markersize": 3.5,
        "markevery": max(1, math.ceil(points / 12)),
        "linewidth": 1.3,
    }


def below(axis, columns=1):
    """Put the legend of an axis below it, where it covers nothing."""
    axis.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=columns, borderaxespad=0
    )


def title_of(figure, text):
    """Write a title over a figure, in as many lines as its width takes."""
    room = max(20, int(figure.get_figwidth() / (LARGE * POINT * 0.62)))
    figure.suptitle(textwrap.fill(one_line(text), room, max_lines=3, placeholder=" …"))


def ticks(axis, labels, inches, size=SMALL):
    """Label an axis of cells: all if there is room, else every few; say which.

    Args:
        axis: `matplotlib.axis.Axis`, whose cells are at 0, 1, 2 …
        labels: list of str.
        inches: float. How long the axis is.
        size: float. Points of the letters.

    Returns:
        int: every how manyth is labelled.
    """
    step = max(1, math.ceil(len(labels) * size * POINT * 1.15 / inches))
    places = range(0, len(labels), step)
    axis.set_ticks(list(places), [short(labels[at]) for at in places], fontsize=size)
    return step


def short(text, most=CUT):
    """A label that fits beside an axis."""
    text = one_line(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def one_line(text):
    """`text` in one line, of what can be printed."""
    words = "".join(c if c.isprintable() else " " for c in str(text))
    return " ".join(words.split()) or "␣"
