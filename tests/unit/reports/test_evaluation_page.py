"""The page of an evaluation: complete in one file, and safe whatever the data holds."""

import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from helpers.figures import figures

from kzoo.reports import evaluation_page

ATTACKS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></style></svg><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "&lt;b&gt; &amp; <!-- ",
    "javascript:alert(1)",
)
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "section", "div"),
    *("h1", "h2", "p", "b", "span", "table", "thead", "tbody", "tr", "th", "td"),
    *("svg", "rect", "text", "line", "circle", "polyline"),
}


class Reader(HTMLParser):
    """Collects tags, attributes and text as a browser would see them."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attributes]

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("attack", ATTACKS)
def test_data_is_only_ever_text(attack):
    found = figures(names=[f"{attack} a", f"{attack} b"], texts=[attack] * 40)
    found |= {"run": attack, "source": attack, "notes": [attack]}
    reader = Reader(evaluation_page(found))
    assert set(reader.tags) <= TAGS
    names = {name for _, name, _ in reader.attributes}
    assert not [name for name in names if name.startswith("on")]
    assert not names & {"src", "href", "style", "action", "xlink:href"}
    text = "".join(reader.text)
    # The heading, its line, a note and every error show it as it was written.
    assert text.count(attack) >= 3 + len(found["worst"])


def test_nothing_is_loaded():
    page = evaluation_page(figures())
    reader = Reader(page)
    assert "script" not in reader.tags and "link" not in reader.tags
    assert (
        "url(" not in page
        and "@import" not in page
        and "http" not in page.replace("http-equiv", "")
    )
    contents = (value for _, name, value in reader.attributes if name == "content")
    policy = next(contents)
    assert policy.startswith("default-src 'none'")


def test_it_is_well_formed_and_says_every_figure():
    found = figures(names=("a", "b", "c"))
    page = evaluation_page(found)
    body = page[page.index("<body>") : page.index("</html>")]
    root = ET.fromstring(body)  # Every element is closed, every attribute quoted.
    said = "".join(root.itertext())
    for name, value in found.items():
        if isinstance(value, float):
            assert f"{name}{value:.4f}" in said
            low, high = found["intervals"][name]
            assert f"{low:.4f} to {high:.4f}" in said
    for one in found["worst"]:
        assert one["text"] in said
    matrix, curve = [svg for svg in root.iter("svg") if svg.get("class") == "drawing"]
    counts = [text.text for text in matrix.iter("text")]
    for row in found["confusion"]:
        for count in row:
            counts.remove(str(count))
    filled = [one for one in found["calibration"] if one["rows"]]
    assert len(list(curve.iter("circle"))) == len(filled)


def test_a_point_of_the_curve_is_where_it_should_be():
    found = figures()
    page = evaluation_page(found)
    body = ET.fromstring(page[page.index("<body>") : page.index("</html>")])
    [line] = [one for one in body.iter("line") if one.get("class") == "ideal"]
    x0, y0, x1, y1 = (float(line.get(name)) for name in ("x1", "y1", "x2", "y2"))
    [curve] = body.iter("polyline")
    points = [point.split(",") for point in curve.get("points").split()]
    filled = [one for one in found["calibration"] if one["rows"]]
    for one, (x, y) in zip(filled, points, strict=True):
        assert float(x) == pytest.approx(x0 + one["confidence"] * (x1 - x0), abs=0.02)
        assert float(y) == pytest.approx(y0 + one["accuracy"] * (y1 - y0), abs=0.02)


@pytest.mark.parametrize("classes", [2, 9, 30, 120])
def test_many_labels_fit(classes):
    found = figures(names=[f"a rather long label {n}" for n in range(classes)], rows=99)
    page = evaluation_page(found)
    width = float(
        page.split('class="drawing"')[0].rsplit('viewBox="0 0 ', 1)[1].split()[0]
    )
    assert width < 2000


def test_characters_that_html_cannot_hold():
    found = figures(texts=["a\0b\x1b[31m\ud800c\x85"] * 40)
    page = evaluation_page(found)
    page.encode("utf-8")
    assert "a\ufffdb\ufffd[31m\ufffdc\ufffd" in page


def test_no_errors_and_no_intervals():
    found = figures()
    found |= {"worst": [], "errors": 0, "intervals": {}}
    page = evaluation_page(found)
    assert "There are none." in page and "interval<" not in page
