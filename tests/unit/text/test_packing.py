"""Texts as windows: every token once, in order, and whole words in one window."""

import numpy as np
import pytest
from kzoo_recipes import KzooError

from kzoo.text import Tokenizer
from kzoo.text.alignment import align
from kzoo.text.packing import windows_of

TEXTS = [
    "the cat sat on the mat",
    "x",
    "unbelievable things happened to the unbelievable cat " * 5,
    "a dog, too",
]


@pytest.fixture(scope="module", params=["wordpiece", "byte_bpe", "unigram", "word"])
def tokenizer(request):
    size = 270 if request.param == "byte_bpe" else 60
    return Tokenizer.train(TEXTS, request.param, size, min_frequency=1)


@pytest.mark.parametrize("room", [1, 5, 30, 1000])
@pytest.mark.parametrize("pack", [True, False], ids=["packed", "alone"])
def test_every_token_is_in_one_window(tokenizer, room, pack):
    windows, long = windows_of(TEXTS, tokenizer, room, pack)
    assert all(1 <= len(one.token_ids) <= room for one in windows)
    documents = align(tokenizer, TEXTS)
    assert long == sum(len(document) > room for document in documents)
    expected = np.concatenate([document.token_ids for document in documents])
    ids = np.concatenate([one.token_ids for one in windows])
    ends = np.concatenate([one.word_of for one in windows]) == -1
    ends &= ids == tokenizer.end_id
    np.testing.assert_array_equal(ids[~ends], expected)
    if not pack:
        assert not ends.any()


@pytest.mark.parametrize("pack", [True, False], ids=["packed", "alone"])
def test_words_are_not_cut_where_they_fit(tokenizer, pack):
    room = 25
    windows, _ = windows_of(TEXTS * 3, tokenizer, room, pack)
    seen = {}
    for number, one in enumerate(windows):
        for word in set(one.word_of.tolist()) - {-1}:
            key = (word,) if pack else (one.text, word)
            assert seen.setdefault(key, number) == number
    if pack:
        # Windows are full but for a word that did not fit.
        words = [d.word_of[d.word_of >= 0] for d in align(tokenizer, TEXTS)]
        longest = max(np.bincount(of_text).max() for of_text in words)
        sizes = [len(one.token_ids) for one in windows[:-1]]
        assert min(sizes) >= room - longest - 1


def test_packed_texts_have_an_end_between_them(tokenizer):
    [window], _ = windows_of(["cat", "dog", "mat"], tokenizer, 1000, True)
    assert (window.token_ids == tokenizer.end_id).sum() == 2
    assert window.token_ids[0] != tokenizer.end_id != window.token_ids[-1]
    assert window.text == 0


def test_windows_know_the_text_that_they_begin_with(tokenizer):
    windows, _ = windows_of(TEXTS, tokenizer, 12, True)
    documents = align(tokenizer, TEXTS)
    for one in windows:
        own = documents[one.text].token_ids.tolist()
        first = one.token_ids[0]
        assert first in own
    assert [one.text for one in windows] == sorted(one.text for one in windows)
    assert windows_of(TEXTS, tokenizer, 12, False)[0][-1].text == 3


def test_a_window_without_room_is_refused(tokenizer):
    with pytest.raises(KzooError, match="`sequence_length` must be at least 3"):
        windows_of(TEXTS, tokenizer, 0, True)
