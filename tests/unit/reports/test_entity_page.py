"""The page of entities: texts whole, only ever text, and legible in both schemes."""

import colorsys
import re
from html.parser import HTMLParser

import pytest

from kzoo.reports.entities import DARK, LIGHT, EntityPage, shade
from kzoo.reports.page import STYLE

KINDS = {"LOC": 0, "PER": 1}


def written(*texts, title="kzoo"):
    """A page of texts with their marks."""
    page = EntityPage(title, KINDS)
    sections = [page.section(f"line {n}", *text) for n, text in enumerate(texts, 1)]
    return page.opening() + "".join(sections) + page.closing()


class Reader(HTMLParser):
    """Collects tags, the names of attributes, and the text of each paragraph."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.names, self.paragraphs = set(), set(), []
        self._inside = False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.names |= {name for name, _ in attributes}
        if tag == "p":
            self._inside = True
            self.paragraphs.append("")

    def handle_endtag(self, tag):
        self._inside &= tag != "p"

    def handle_data(self, data):
        if self._inside:
            self.paragraphs[-1] += data


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</style></title><svg onload=alert(1)>",
        "&lt;b&gt; <!-- ",
    ],
)
def test_data_is_only_ever_text(attack):
    marks = [(0, len(attack), attack, 0.5)]
    reader = Reader(written((attack, marks), title=attack))
    assert reader.paragraphs[0] == 2 * attack
    assert reader.tags <= {
        *("html", "head", "meta", "title", "style", "body", "main", "h1", "div"),
        *("section", "p", "mark", "b"),
    }
    assert reader.names <= {
        *("lang", "charset", "http-equiv", "content", "name", "class", "dir", "title"),
    }


def test_texts_are_whole():
    text = "In New York,\n שלום 😀."
    marks = [(3, 11, "LOC", 0.9), (14, 18, "PER", 0.25)]
    page = written((text, marks), ("", []), (text, []))
    assert Reader(page).paragraphs == [
        "In New YorkLOC,\n שלוםPER 😀.",
        "",
        text,
        "3 texts, 2 entities: LOC 1, PER 1",
    ]
    assert '<mark class="kind-0" title="0.900">New York<b>LOC</b></mark>' in page


def test_marks_that_overlap_write_a_character_once():
    [paragraph, _] = Reader(
        written(("xyz", [(0, 2, "LOC", 1.0), (1, 3, "PER", 1.0)]))
    ).paragraphs
    assert paragraph == "xyLOCzPER"


def luminance(colour):
    """As WCAG 2 defines it."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_marks_are_legible(scheme):
    ink = re.findall(r"--ink: #(\w{6})", STYLE)[scheme == DARK]
    text = luminance([int(ink[at : at + 2], 16) / 255 for at in (0, 2, 4)])
    for number in range(60):
        hue, saturation, lightness = map(int, re.findall(r"\d+", shade(number, scheme)))
        ground = luminance(
            colorsys.hls_to_rgb(hue / 360, lightness / 100, saturation / 100)
        )
        contrast = (max(text, ground) + 0.05) / (min(text, ground) + 0.05)
        assert contrast >= 5, f"type {number}: {contrast:.1f}"
