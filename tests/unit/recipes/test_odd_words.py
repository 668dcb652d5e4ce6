"""Words that no one would type: not Unicode, or thousands of letters long."""

import pytest
from kzoo_recipes import KzooError, load


def test_what_the_shell_gives_may_be_no_text():
    """Bytes that are no UTF-8 arrive as halves of characters."""
    with pytest.raises(KzooError) as caught:
        load("text_classifier", ["data.train=caf\udce9.csv"])
    assert str(caught.value) == (
        "'--set data.train=caf\\udce9.csv': this is not Unicode text."
    )


@pytest.mark.parametrize(
    "override", ["training.{}=1", "{}.a=1", "{}", "training.epochs={}", "{}="]
)
def test_long_words_are_shown_short(override):
    with pytest.raises(KzooError) as caught:
        load("text_classifier", [override.format("x" * 5000)])
    assert len(str(caught.value)) < 900
