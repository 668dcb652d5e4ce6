"""The page of a summarizer's evaluation: every figure, and only text."""

import xml.etree.ElementTree as ET

import pytest
from helpers.summaries import summary_figures
from test_evaluation_page import ATTACKS, TAGS, Reader

from kzoo.reports import PAGES, summaries_page


def said(page):
    """What its body says; every element is closed, every attribute quoted."""
    body = ET.fromstring(page[page.index("<body>") : page.index("</html>")])
    return "".join(body.itertext())


@pytest.mark.parametrize("attack", ATTACKS)
def test_data_is_only_ever_text(attack):
    found = summary_figures(4, attack)
    found |= {"run": attack, "source": attack, "notes": [attack]}
    found["generation"] = {"bad_words": attack}
    found["worst"][0]["text"] = attack * 99  # which unfolds
    reader = Reader(summaries_page(found))
    assert set(reader.tags) <= {*TAGS, "details", "summary"}
    names = {name for _, name, _ in reader.attributes}
    assert not [name for name in names if name.startswith("on")]
    assert not names & {"src", "href", "style", "action", "xlink:href"}
    assert "".join(reader.text).count(attack) >= 4 + 2 * len(found["worst"]) + 99


def test_it_is_well_formed_and_says_every_figure():
    found = summary_figures()
    text = said(PAGES["summarizer"](found))
    for name, value in found.items():
        if isinstance(value, float):
            low, high = found["intervals"][name]
            assert f"{name}{value:.4f}{low:.4f} to {high:.4f}" in text
    for name, one in found["rouge"].items():
        for way, title in (("best", "best reference"), ("lead", "LEAD-2")):
            shares = "".join(f"{one[way][key]:.4f}" for key in ("precision", "recall"))
            assert f"{name}{title}{shares}{one[way]['f1']:.4f}" in text
        assert f"{one['mean']['f1']:.4f}" in text
    for place, share in enumerate(found["texts"]["predictions"]["novel_ngrams"]):
        assert f"new {place + 1}-grams{share:.1%}" in text
    for one in (*found["worst"], *found["best"]):
        assert one["text"] in text and one["prediction"] in text
        for reference in one["references"]:
            assert f"reference {reference}" in text
    assert "rouge-score 0." in text and "stemmer porter" in text
    assert "beams=4, max_new_tokens=16" in text
    assert ", document cut" in text


@pytest.mark.parametrize("many, first", [(1, "sentence"), (2, "2 sentences")])
def test_what_the_baseline_takes_is_said(many, first):
    text = said(summaries_page(summary_figures() | {"lead_sentences": many}))
    assert f"LEAD-{many} is what the first {first} of each document" in text


def test_a_single_reference_is_not_called_the_best():
    found = summary_figures()
    found["references"]["rows_with_several"] = 0
    text = said(summaries_page(found))
    assert "rouge1predictions" in text and "mean of references" not in text


def test_without_intervals_or_rows():
    text = said(summaries_page(summary_figures(resamples=0, worst=0)))
    assert text.count("None are listed.") == 2 and "interval" not in text


def test_a_long_document_unfolds():
    found = summary_figures(worst=1)
    found["worst"][0]["text"] = "w" * 500
    page = summaries_page(found)
    assert "<summary" in page and "w" * 240 + "…</summary>" in page
    assert f">{'w' * 500}</p></details>" in page


def test_a_figure_without_an_interval():
    text = said(summaries_page({"loss": 2.5, **summary_figures()}))
    assert "loss2.5000mean surprise" in text
