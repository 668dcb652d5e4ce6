"""How deep JSON is nested, counted for all characters at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kzoo_recipes import KzooError

from kzoo.safety import parse, strict_json
from kzoo.safety.strict_json import MOST_DEPTH, _depth


def naive(text):
    """The same, a character at a time."""
    deepest = depth = 0
    quoted = escaped = False
    for character in text:
        if quoted:
            quoted = escaped or character != '"'
            escaped = not escaped and character == "\\"
        elif character == '"':
            quoted = True
        else:
            depth += (character in "[{") - (character in "]}")
            deepest = max(deepest, depth)
    return deepest


@given(st.text(st.sampled_from('[]{}"\\a,\n\ud800é'), max_size=60))
def test_agrees_with_counting(text):
    many = "[" * (MOST_DEPTH + 1) + "]" * (MOST_DEPTH + 1)  # or it is not counted
    assert _depth(many + text) == naive(many + text)
    assert _depth(text + many) == naive(text + many)


@given(st.text(st.sampled_from('[]{}"\\a,'), max_size=60), st.integers(1, 9))
def test_agrees_with_counting_block_by_block(text, size):
    many = "[" * (MOST_DEPTH + 1) + "]" * (MOST_DEPTH + 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strict_json, "AT_ONCE", size)
        assert _depth(many + text) == naive(many + text)
        assert _depth(text + many) == naive(text + many)


def test_many_shallow_pairs_are_not_deep():
    pairs = "[" + ", ".join(['["▁a[[[\\"", -1.5]'] * 100) + "]"
    assert len(parse(pairs, "pairs")) == 100


@pytest.mark.parametrize("odd", ['"', '"\\', '"\\"'])
def test_quotes_that_never_close(odd):
    """Each of them is looked at once, so this ends."""
    with pytest.raises(KzooError, match="this is not plain JSON"):
        parse("[]" * (MOST_DEPTH + 1) + odd * 200_000, "odd")
