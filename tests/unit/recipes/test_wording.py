"""Sentences in lines that fit."""

from hypothesis import given
from hypothesis import strategies as st
from kzoo_recipes.wording import folded


def test_a_line_that_fits_stays_as_it_is():
    text = "two  spaces, and more: " + "x" * 77
    assert len(text) == 100 and folded(text) == text


def test_longer_ones_go_on_below():
    assert folded("a bc def ghi", 8) == "a bc def\n  ghi"


def test_code_and_long_words_are_not_parted():
    assert folded("say `kzoo resume it` now", 12) == "say\n  `kzoo resume it`\n  now"
    assert folded("see /a/long/path-name/here", 10) == "see\n  /a/long/path-name/here"


@given(st.text("ab `-", max_size=60), st.integers(8, 40))
def test_no_word_is_lost_and_only_words_are_longer(text, width):
    lines = folded(text, width).split("\n")
    if len(lines) > 1:
        assert " ".join(lines).split() == text.split()
    for line in lines:
        parted = line.replace("`", " ").split() if "`" not in line else [line]
        assert len(line) <= width or len(parted) == 1
