"""What a model wrote becomes spans, and spans fill the blanks of a text."""

import numpy as np
import pytest

from kzoo.models.blanks import filled, spans_of
from kzoo.text import Tokenizer


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.train(
        ["red cat sat"] * 2, "word", 60, min_frequency=1, sentinels=3
    )


@pytest.mark.parametrize(
    "written, spans",
    [
        ("<0> red cat <1> sat <2>", ["red cat", "sat"]),
        ("<0> <1> sat", ["", "sat"]),
        ("<1> sat <0> red", ["red", "sat"]),
        ("cat <0> red <2> sat <1> cat", ["red", "cat"]),
        ("<0> red <0> cat <1>", ["red", ""]),
        ("red cat", ["", ""]),
        ("", ["", ""]),
    ],
)
def test_a_span_reaches_from_its_sentinel_to_the_next(tokenizer, written, spans):
    ids = []
    for word in written.split():
        if word.startswith("<"):
            ids.append(tokenizer.sentinels[int(word[1])])
        else:
            ids.append(tokenizer.token_to_id(word))
    assert spans_of(np.array(ids), tokenizer, 2) == spans


@pytest.mark.parametrize(
    "spans, text",
    [
        (["red", "sat"], "A red cat sat."),
        (["", "sat"], "A cat sat."),
        (["red", ""], "A red cat."),
        ([None, "sat"], "A [MASK] cat sat."),
    ],
)
def test_spans_fill_blanks_and_nothing_leaves_one_space(spans, text):
    template = "A [MASK] cat <extra_id_1>."
    places = [(2, 8), (13, 25)]
    assert [template[slice(*place)] for place in places] == ["[MASK]", "<extra_id_1>"]
    assert filled(template, places, spans) == text
