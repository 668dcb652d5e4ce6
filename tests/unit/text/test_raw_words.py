"""Words of raw text: cut as corpora are, so that names stay whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kzoo.text import raw_words
from kzoo.text.raw_words import holds_punctuation

# A text, and its words with a space between them.
CASES = [
    ("The U.N. met Jean-Luc, today.", "The U.N. met Jean-Luc , today ."),
    ("in the U.S.A. (or the U.S.)", "in the U.S.A. ( or the U.S. )"),
    ("He left the U.N.", "He left the U.N."),
    ("Prof. Ada, Ph.D., sang e.g. it.", "Prof . Ada , Ph.D. , sang e.g. it ."),
    ("See example.com. It costs $3.50.", "See example.com . It costs $ 3.50 ."),
    ("Ada's, the boys' and the U.S.'s", "Ada 's , the boys ' and the U.S. 's"),
    ("Ada\u2019s O\u2019Neill don't", "Ada \u2019s O\u2019Neill don't"),
    ("Ada 's , I 'LL go", "Ada 's , I 'LL go"),
    ('"Well-known," she said...', '" Well-known , " she said ...'),
    ("Really?!! - no -- yes", "Really ? !! - no -- yes"),
    ("3.5.2021 10:30 1,000,000 50%", "3.5.2021 10:30 1,000,000 50 %"),
    ("@ada: read #news, C++ @ home", "@ada : read #news , C ++ @ home"),
    ("\u00abÉlan\u00bb \u2014 \u00bfqué?", "\u00ab Élan \u00bb \u2014 \u00bf qué ?"),
    ("e\u0301te\u0301, na\u00efve\u0301!", "e\u0301te\u0301 , na\u00efve\u0301 !"),
    ("ok\U0001f44d\U0001f3fd, \u20ac5", "ok\U0001f44d\U0001f3fd , \u20ac5"),
    ("他住在U.S.。", "他 住 在 U.S. 。"),
    ("\u200b \ufeff a\u200bb", "a\u200bb"),
    (" \n\t\u00a0", ""),
    ("", ""),
    ("'s", "'s"),
    ("@", "@"),
    ("#!", "# !"),
]


@pytest.mark.parametrize(
    "text, words", CASES, ids=[f"case{n}" for n in range(len(CASES))]
)
def test_words(text, words):
    spans = raw_words(text)
    assert spans.dtype == np.int32 and spans.shape == (len(spans), 2)
    assert [text[start:end] for start, end in spans] == words.split(" ") * bool(words)


@given(st.text() | st.text("aU.'’s-@#()! \n他\u0301\u200b"))
def test_words_are_in_order_and_hold_all_that_can_be_seen(text):
    spans = raw_words(text)
    flat = spans.reshape(-1).tolist()
    assert flat == sorted(flat) and (spans[:, 0] < spans[:, 1]).all()
    rest, at = "", 0
    for start, end in spans.tolist():
        rest, at = rest + text[at:start], end
        assert not any(map(str.isspace, text[start:end]))
    rest += text[at:]
    assert not any(c.isprintable() and not c.isspace() for c in rest)


@pytest.mark.parametrize(
    "word, held",
    [
        *[(word, True) for word in ("U.N.", "Jean-Luc", "O'Neill", "n't", "(3.5)")],
        *[(word, True) for word in ("a_b", "x\u2019y", "@a:b", "10:30")],
        *[(word, False) for word in ("Ada", "Dr.", "'s", "...", ":)", "", "@ada")],
        *[(word, False) for word in ("e\u0301a", "New York", "a\u200bb", "a\u20acb")],
    ],
)
def test_which_words_hold_punctuation(word, held):
    assert holds_punctuation(word) is held
