"""Every figure is written, equal in bits each time, and with no label cut off."""

import io
import xml.etree.ElementTree as ET

import matplotlib
import numpy as np
import pytest
from helpers.figures import figures as report
from PIL import Image

from kzoo import plots
from kzoo.plots.canvas import ENDINGS, file_of, fonts_for, short

LONG = "Überraschungseigenschaftsverwaltungsgesellschaft"
NAMES = ["$x_1$", "мир", LONG, "", "a\nb", "\x1b[31m", "עברית"]


def figures():
    return report() | {"task": "text_classifier"}


def attention(rows=7, layers=2, heads=3, title=None, size=None):
    rng = np.random.default_rng(0)
    names = (NAMES * (rows // 7 + 1))[:rows]
    weights = rng.dirichlet(np.ones(rows), (layers, heads, rows)).astype("float32")
    found = plots.Attention(
        "encoder", names, names, weights, "", None, [*range(layers)], [*range(heads)]
    )
    return plots.attention_figure(found, title, size)


def history(runs, points):
    steps = list(range(1, points + 1))
    curve = {"step": steps, "epoch": steps, "value": [1 / step for step in steps]}
    told = {"loss": {"train": curve, "dev": curve}}
    return plots.history_figure(
        {
            "metrics": ["loss"],
            "runs": [
                {"run": f"{LONG}-{n}", "best": 1, "curves": told} for n in range(runs)
            ],
        }
    )


def confusion(labels):
    names = [f"{name}{n}" for n, name in zip(range(labels), NAMES * 9, strict=False)]
    told = figures() | {
        "labels": names,
        "confusion": np.eye(labels, dtype=int).tolist(),
    }
    return plots.confusion_figure(plots.confusion(told))


def lengths(texts):
    one = {"lengths": list(range(texts)), "longer": 0}
    return plots.lengths_figure({"text": {"cut": 5, "splits": {LONG: one}}}, LONG * 3)


FIGURES = {
    "attention": attention,
    "attention of one token": lambda: attention(1, 1, 1),
    "attention of many tokens": lambda: attention(60, 1, 2, LONG * 4, (9, 6)),
    "attention, small": lambda: attention(size=(5, 4)),
    "sinusoidal": lambda: scheme("sinusoidal"),
    "rotary": lambda: scheme("rotary"),
    "alibi": lambda: scheme("alibi"),
    "one evaluation": lambda: history(1, 1),
    "many runs": lambda: history(9, 40),
    "one label": lambda: confusion(1),
    "many labels": lambda: confusion(26),
    "calibration": lambda: plots.calibration_figure(plots.calibration(figures())),
    "lengths": lambda: lengths(100),
    "one text": lambda: lengths(1),
}


def scheme(name):
    return plots.positions_figure(plots.named_positions(name, 16, 32, 16), LONG)


@pytest.mark.parametrize("name", FIGURES)
def test_no_label_is_cut_off(name):
    figure = FIGURES[name]()
    drawn = file_of(figure, ".png", figure.dpi)
    pixels = np.asarray(Image.open(io.BytesIO(drawn)).convert("L"))
    edges = (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])
    assert all((edge == 255).all() for edge in edges)  # Nothing reaches over it.
    named = [*figure.texts, *(part for axis in figure.axes for part in labels(axis))]
    for text in named:
        box = text.get_window_extent()
        inside = 0 <= box.x0 <= box.x1 <= figure.bbox.x1
        inside &= 0 <= box.y0 <= box.y1 <= figure.bbox.y1
        assert inside or not text.get_text(), text


def labels(axis):
    return axis.title, axis.xaxis.label, axis.yaxis.label


@pytest.mark.parametrize("ending", ENDINGS)
def test_equal_figures_are_equal_files(ending):
    first, second = (file_of(attention(3, 1, 1), ending, 50) for _ in range(2))
    assert first == second and len(first) > 1000


def test_svg_is_xml_without_a_date():
    root = ET.fromstring(file_of(attention(3, 1, 1), ".svg"))
    assert root.tag.endswith("svg") and "date" not in ET.tostring(root).decode().lower()


def test_the_style_of_others_is_left_alone_and_does_no_harm():
    with matplotlib.rc_context({"text.usetex": True, "font.size": 40}):
        before = dict(matplotlib.rcParams)
        figure = attention(3, 1, 1)
        assert dict(matplotlib.rcParams) == before
    assert file_of(figure, ".png", 50) == file_of(attention(3, 1, 1), ".png", 50)


def test_colours_and_shades_differ_in_grey():
    shades = matplotlib.colormaps["cividis"](np.linspace(0, 1, 32))[:, :3]
    greys = shades @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(greys) > 0).all()


def test_letters_that_no_font_has_are_found():
    families, lacking = fonts_for(["soup", "\U000e0041\U0010fffd", "мир"])
    assert families[0] == "DejaVu Sans"
    assert not set("soupмир") & set(lacking)


def test_labels_fit_in_one_line():
    assert short(LONG) == LONG[:17] + "…"
    assert (short(""), short("a\n b")) == ("␣", "a b")
