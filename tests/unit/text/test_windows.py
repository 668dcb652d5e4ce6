"""Windows: every piece answered once, by the window that sees its word best."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kzoo_recipes import KzooError

from kzoo.text import Tokenizer
from kzoo.text.alignment import Aligned, align, joined
from kzoo.text.windows import cut, merge

SPECIALS = [([101], [102]), ([], []), ([7, 8], [])]


def surrounding(specials):
    before, after = (np.array(ids, "int32") for ids in specials)
    return SimpleNamespace(
        special_ids=(before, after),
        num_before=len(before),
        num_special=len(before) + len(after),
        unk_id=1,
    )


def document(sizes):
    """Pieces of words of these sizes; a size of 0 is a piece of no word."""
    word_of = [
        number
        for number, size in enumerate(sizes)
        for number in [number if size else -1] * max(size, 1)
    ]
    size = len(word_of)
    ids = np.arange(1000, 1000 + size, dtype="int32")
    pairs, none = np.zeros((size, 2), "int32"), np.zeros(0, "int32")
    word_of = np.array(word_of, "int32").reshape(-1)
    return Aligned("", ids, pairs, pairs, word_of, none, pairs[:0], none)


def words_of(sizes):
    """The first piece and the end of the word of each piece."""
    found, start = [], 0
    for size in sizes:
        found += [(start, start + max(size, 1))] * max(size, 1)
        start += max(size, 1)
    return found


def units_of(sizes, room):
    """The same, but the pieces of a word that no window holds stand for themselves."""
    return [
        (first, last) if last - first <= room else (piece, piece + 1)
        for piece, (first, last) in enumerate(words_of(sizes))
    ]


def reference(windows, sizes, room):
    """The rule as it is written: for each piece, all windows that hold its word."""
    units = units_of(sizes, room)
    for first, last in units:
        found = []
        for number, window in enumerate(windows):
            if window.start <= first and last <= window.end:
                left = first - window.start if window.start else np.inf
                right = window.end - last if window.end < len(units) else np.inf
                found.append((-min(left, right), number))
        yield min(found)[1]


@settings(max_examples=150, deadline=None)
@given(
    sizes=st.lists(
        st.one_of(st.integers(0, 3), st.integers(0, 30)), min_size=1, max_size=40
    ),
    room=st.integers(1, 24),
    overlap=st.integers(0, 23),
    specials=st.sampled_from(SPECIALS),
)
def test_every_piece_is_owned_by_the_best_window(sizes, room, overlap, specials):
    assume(overlap < room)
    tokenizer, aligned = surrounding(specials), document(sizes)
    before, after = map(list, specials)
    windows = cut(aligned, tokenizer, room + tokenizer.num_special, overlap)
    words = {first for first, _ in words_of(sizes)} | {len(aligned)}
    borders = sorted({*words, *(first for first, _ in units_of(sizes, room))})
    ids = aligned.token_ids.tolist()
    for window in windows:
        inner = ids[window.start : window.end]
        assert window.token_ids.tolist() == [*before, *inner, *after]
        assert window.token_ids.dtype == np.int32
        assert window.cuts_word == (window.end not in words)
        assert window.end == max(b for b in borders if b <= window.start + room)
    for one, two in pairwise(windows):
        assert one.start < two.start <= one.end < two.end
        held = [b for b in borders if one.start < b <= one.end < two.end]
        reaching = [b for b in held if any(one.end < c <= b + room for c in borders)]
        early = [b for b in reaching if b <= one.end - overlap]
        assert two.start == (max(early) if early else min(reaching))
    assert (windows[0].start, windows[-1].end) == (0, len(aligned))
    owners = list(reference(windows, sizes, room))
    for number, window in enumerate(windows):
        mine = [owners[p] == number for p in range(window.start, window.end)]
        assert window.own.tolist() == mine
    assert sum(window.own.sum() for window in windows) == len(aligned)
    if len(aligned) <= room:
        assert len(windows) == 1


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 9), min_size=1, max_size=40),
    room=st.integers(2, 24),
    overlap=st.integers(0, 8),
    specials=st.sampled_from(SPECIALS),
)
def test_merging_gives_each_piece_the_answer_of_its_window(
    sizes, room, overlap, specials
):
    assume(overlap < room)
    tokenizer, aligned = surrounding(specials), document(sizes)
    windows = cut(aligned, tokenizer, room + tokenizer.num_special, overlap)
    values = []
    for number, window in enumerate(windows):
        padded = np.full((room + 9, 2), -1)  # As a batch pads it.
        padded[: len(window.token_ids)] = window.token_ids[:, None]
        padded[: len(window.token_ids), 1] = number
        values.append(padded)
    merged = merge(windows, values)
    assert merged[:, 0].tolist() == aligned.token_ids.tolist()
    assert merged[:, 1].tolist() == list(reference(windows, sizes, room))
    placed = [window.place(merged) for window in windows]
    for window, tokens in zip(windows, placed, strict=True):
        assert tokens.shape == (len(window.token_ids), 2)
        outside = np.ones(len(tokens), bool)
        inner = window.before + np.flatnonzero(window.own)
        outside[inner] = False
        assert not tokens[outside].any()
        assert tokens[inner, 0].tolist() == window.token_ids[inner].tolist()
    np.testing.assert_array_equal(merge(windows, placed), merged)


def test_by_hand():
    """Ten words, windows of four and one shared: the outer word of a seam is left."""
    tokenizer, aligned = surrounding(([101], [102])), document([1] * 10)
    windows = cut(aligned, tokenizer, 6, 2)
    assert [(w.start, w.end) for w in windows] == [(0, 4), (2, 6), (4, 8), (6, 10)]
    owned = [np.flatnonzero(w.own) + w.start for w in windows]
    assert [pieces.tolist() for pieces in owned] == [
        [0, 1, 2],
        [3, 4],
        [5, 6],
        [7, 8, 9],
    ]


def test_words_are_kept_whole():
    tokenizer, aligned = surrounding(([], [])), document([3, 3, 3])
    windows = cut(aligned, tokenizer, 7, 1)
    assert [(w.start, w.end) for w in windows] == [(0, 6), (3, 9)]
    assert [np.flatnonzero(w.own).tolist() for w in windows] == [[*range(6)], [3, 4, 5]]
    assert not any(w.cuts_word for w in windows)


def test_a_word_longer_than_a_window_is_cut():
    tokenizer, aligned = surrounding(([], [])), document([1, 9, 1])
    windows = cut(aligned, tokenizer, 4, 1)
    assert [(w.start, w.end) for w in windows] == [(0, 4), (3, 7), (6, 10), (9, 11)]
    assert [w.cuts_word for w in windows] == [True, True, False, False]


@pytest.mark.parametrize("specials", SPECIALS)
def test_a_document_of_nothing_is_one_window(specials):
    tokenizer, aligned = surrounding(specials), document([])
    [window] = cut(aligned, tokenizer, 8)
    assert window.token_ids.tolist() == ([*specials[0], *specials[1]] or [1])
    merged = merge([window], [np.ones((len(window.token_ids), 5))])
    assert merged.shape == (0, 5)


@pytest.mark.parametrize("length, overlap", [(3, 0), (4, 1), (7, 1), (128, 32)])
def test_a_quarter_is_shared_unless_said(length, overlap):
    tokenizer, aligned = surrounding(([101], [102])), document([1] * 300)
    windows = cut(aligned, tokenizer, length)
    assert windows[0].end - windows[1].start == overlap


@pytest.mark.parametrize(
    "length, overlap, message",
    [
        (2, None, "at least 3: 2 special tokens and one.*sequence_length=2"),
        (10, 8, "from 0 to 7: a window of 10 tokens holds 8 .*window_overlap=8"),
        (10, -1, "from 0 to 7.*Received: window_overlap=-1"),
    ],
)
def test_windows_that_cannot_be(length, overlap, message):
    with pytest.raises(KzooError, match=message):
        cut(document([1]), surrounding(([101], [102])), length, overlap)


@pytest.mark.parametrize("kind", ["wordpiece", "byte_bpe", "unigram", "word"])
def test_windows_of_a_real_text(kind):
    words = [
        "Mr.",
        "O'Brien",
        "moved",
        "to",
        "São",
        "Paulo",
        "👍🏽",
        "\u200b",
        "§4.2).",
    ]
    tokenizer = Tokenizer.train([" ".join(words)] * 2, kind, 300, min_frequency=1)
    text, spans = joined(words * 9)
    [aligned] = align(tokenizer, [text], [spans])
    windows = cut(aligned, tokenizer, 20, 5)
    whole = tokenizer.encode([" ".join(words)]).token_ids[0]
    for window in windows:
        assert (window.token_ids[0], window.token_ids[-1]) == (whole[0], whole[-1])
    merged = merge(windows, [window.token_ids for window in windows])
    assert merged.tolist() == aligned.token_ids.tolist()
