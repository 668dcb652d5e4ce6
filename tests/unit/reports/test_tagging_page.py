"""The page of a tagger's evaluation: every figure, every mark, and only text."""

import xml.etree.ElementTree as ET

import pytest
from helpers.tags import tagging_figures
from test_evaluation_page import ATTACKS, TAGS, Reader

from kzoo.reports import PAGES, tagging_page
from kzoo.reports.tagging import around, marked


def parsed(page):
    """Its body; every element is closed, every attribute quoted."""
    return ET.fromstring(page[page.index("<body>") : page.index("</html>")])


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("scheme", ["iob2", "plain"])
def test_data_is_only_ever_text(attack, scheme):
    found = tagging_figures(scheme, words=[attack])
    found |= {"run": attack, "source": attack, "notes": [attack]}
    reader = Reader(tagging_page(found))
    assert set(reader.tags) <= {*TAGS, "mark"}
    names = {name for _, name, _ in reader.attributes}
    assert not [name for name in names if name.startswith("on")]
    assert not names & {"src", "href", "style", "action", "xlink:href"}
    text = "".join(reader.text)
    assert text.count(attack) >= 3 + len(found["worst"]) + len(found["common"])


@pytest.mark.parametrize("scheme", ["bioes", "plain"])
def test_it_is_well_formed_and_says_every_figure(scheme):
    found = tagging_figures(scheme)
    body = parsed(PAGES["token_tagger"](found))
    said = "".join(body.itertext())
    for name, value in found.items():
        if isinstance(value, float):
            assert f"{name}{value:.4f}" in said
            assert "{:.4f} to {:.4f}".format(*found["intervals"][name]) in said
    for name, one in found["per_class"].items():
        shares = "".join(f"{one[key]:.4f}" for key in ("precision", "recall", "f1"))
        assert f"{name}{shares}" in said
    assert "goldpredicted" in said and "goldsaid" not in said  # heads of two columns
    [matrix] = [svg for svg in body.iter("svg") if svg.get("class") == "drawing"]
    counts = [text.text for text in matrix.iter("text")]
    cells = [count for row in found["confusion"] for count in row]
    for count in cells if scheme == "plain" else cells[:-1]:
        counts.remove(str(count))
    assert not [text for text in counts if text.isdigit()]
    if scheme == "plain":
        assert "Nearly found" not in said
        return
    assert {"missed", "spurious"} <= set(counts)
    for way, one in found["matches"]["overall"].items():
        row = [f"{one[key]:,}" for key in ("correct", "incorrect", "partial")]
        assert f"{way}{''.join(row)}" in said
    for kind, count in found["kinds"].items():
        assert (f"{count:,} {kind}" in said) == bool(count)


def test_marks_are_where_entities_are():
    found = tagging_figures()
    page = tagging_page(found)
    assert "mark.right {" in page and "mark.wrong {" in page  # Both have a style.
    body = parsed(page)
    sections = [one for one in body.iter("section") if one.get("class") == "sentence"]
    for one, section in zip(found["worst"], sections, strict=True):
        for line, side in zip(section.iter("p"), ("gold", "predicted"), strict=True):
            marks = [
                (mark.text, mark.find("b").text, mark.get("class") == "right")
                for mark in line.iter("mark")
            ]
            assert marks == [(e["entity"], e["type"], e["right"]) for e in one[side]]
            shown = line.findall("span")[1]  # The first says which side it is.
            for mark in shown.iter("mark"):
                mark.remove(mark.find("b"))
            assert "".join(shown.itertext()) == one["text"]


def test_only_some_of_a_long_sentence_is_shown():
    text = "x" * 200 + "Rome" + "y" * 200
    rome = {"type": "LOC", "entity": "Rome", "start": 200, "end": 204, "score": 0.5}
    for one in ({"gold": rome, "predicted": None}, {"gold": None, "predicted": rome}):
        shown = "".join(around({"text": text, **one}))
        kind = "right" if one["gold"] else "wrong"
        mark = f'<mark class="{kind}" title="0.500">Rome<b>LOC</b></mark>'
        assert shown == f"…{'x' * 60}{mark}{'y' * 60}…"
    words = {"text": f"{'ab ' * 50}Rome{' cd' * 50}", "predicted": None}
    words["gold"] = rome | {"start": 150, "end": 154}
    shown = "".join(around(words))
    assert shown.startswith("… ab ab") and shown.endswith("cd cd…")
    whole = {"text": "Rome", "gold": rome | {"start": 0, "end": 4}, "predicted": None}
    assert "…" not in "".join(around(whole))


def test_entities_that_touch():
    found = [
        {"type": "A", "start": 0, "end": 1, "right": True},
        {"type": "B", "start": 1, "end": 2, "right": False},
    ]
    assert "".join(marked("abc", found)) == (
        '<mark class="right">a<b>A</b></mark><mark class="wrong">b<b>B</b></mark>c'
    )


@pytest.mark.parametrize("scheme", ["iob2", "plain"])
def test_without_errors_intervals_or_entities(scheme):
    found = tagging_figures(scheme, resamples=0, worst=0)
    page = tagging_page(found)
    assert "None are listed." in page and "interval<" not in page
    found |= {"errors": 0, "labels": [], "per_class": {}}
    page = tagging_page(found)
    assert page.count("There are none.") == 2 and "There is no entity." in page


@pytest.mark.parametrize("types", [1, 9, 60])
def test_many_types_fit(types):
    found = tagging_figures()
    names = [f"a rather long type {n}" for n in range(types)]
    found |= {"labels": names, "confusion": [[1] * (types + 1)] * (types + 1)}
    page = tagging_page(found)
    width = page.split('class="drawing"')[0].rsplit('viewBox="0 0 ', 1)[1].split()[0]
    assert float(width) < 2000
