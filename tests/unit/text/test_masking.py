"""Which tokens are hidden: how many, behind what, and the same ones always."""

import collections

import numpy as np
import pytest

from kzoo.text import Tokenizer
from kzoo.text.alignment import align
from kzoo.text.masking import FIXED, Masker, Masking

TEXTS = ["the unbelievable cat sat on the mat, quickly", "a dog ran: tokens, naïveté"]


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.train(TEXTS * 3, "wordpiece", 60, min_frequency=1)


@pytest.fixture(scope="module")
def window(tokenizer):
    """A window of 100 tokens between special ones; three neighbours make a word."""
    low, high = 5, tokenizer.vocabulary_size
    inner = np.random.default_rng(3).integers(low, high, 100)
    ids = np.array([tokenizer.start_id, *inner, tokenizer.end_id], "int32")
    return ids, np.array([-1, *(np.arange(100) // 3), -1])


def asked(masker, window, times, **options):
    """Many drawings of a window: what is read, and the places."""
    key = {"seed": 7, "epoch": 0, **options}
    return [masker.hide(*window, **{"row": row, **key}) for row in range(times)]


def test_shares_are_those_that_were_asked_for(tokenizer, window):
    ids, _ = window
    masker = Masker(Masking(), tokenizer)
    drawn = asked(masker, window, 4000)
    behind = collections.Counter()
    for read, places in drawn:
        assert len(places) == 15 and (np.diff(places) > 0).all()
        changed = np.flatnonzero(read != ids)
        assert set(changed) <= set(places)
        masked = read[places] == tokenizer.mask_id
        behind["mask"] += masked.sum()
        behind["kept"] += (read[places] == ids[places]).sum()
        behind["other"] += (~masked & (read[places] != ids[places])).sum()
    total = sum(behind.values())
    # One of the other tokens, drawn from all of them, is now and then the same one.
    same = 1 / (tokenizer.vocabulary_size - 5)
    expected = {"mask": 0.8, "kept": 0.1 + 0.1 * same, "other": 0.1 * (1 - same)}
    for name, share in expected.items():
        deviation = (share * (1 - share) / total) ** 0.5
        assert abs(behind[name] / total - share) < 5 * deviation, name


def test_every_token_is_as_likely_as_every_other(tokenizer, window):
    ids, _ = window
    masker = Masker(Masking(), tokenizer)
    counts, neighbours = np.zeros(len(ids)), 0
    drawn = asked(masker, window, 4000)
    for _, places in drawn:
        counts[places] += 1
        neighbours += (np.diff(places) == 1).sum()
    assert counts[0] == counts[-1] == 0  # special tokens
    deviation = (4000 * 0.15 * 0.85) ** 0.5
    assert np.abs(counts[1:-1] - 600).max() < 5 * deviation
    # Of 15 places of 100, 15 · 14 / 100 follow right on another.
    assert neighbours / 4000 == pytest.approx(2.1, abs=0.1)


def test_other_tokens_are_any_of_the_vocabulary_but_special_ones(tokenizer, window):
    masker = Masker(Masking(share=1.0, mask_share=0, random_share=1), tokenizer)
    seen = np.concatenate([read[places] for read, places in asked(masker, window, 300)])
    counts = np.bincount(seen, minlength=tokenizer.vocabulary_size)
    ordinary = np.setdiff1d(np.arange(len(counts)), tokenizer.special_tokens)
    assert not counts[tokenizer.special_tokens].any()
    expected = counts.sum() / len(ordinary)
    assert np.abs(counts[ordinary] - expected).max() < 5 * expected**0.5


def test_masks_follow_from_seed_epoch_and_row_alone(tokenizer, window):
    masker = Masker(Masking(), tokenizer)
    first = masker.hide(*window, seed=7, epoch=2, row=5)
    asked(masker, window, 10)  # Whatever ran before.
    again = Masker(Masking(), tokenizer).hide(*window, seed=7, epoch=2, row=5)
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)
    for change in ({"seed": 8}, {"epoch": 3}, {"row": 6}, {"epoch": FIXED}):
        key = {"seed": 7, "epoch": 2, "row": 5, **change}
        assert (masker.hide(*window, **key)[1] != first[1]).any()


def test_masks_are_those_of_philox_for_ever(tokenizer, window):
    """Numbers of Philox, used as written here: runs stay what they were."""
    drawn = np.random.Philox(key=np.array([7, 3 << 32 | 5], "uint64"))
    order = np.argsort(drawn.random_raw(100), kind="stable")
    places = np.sort(order[:15] + 1)
    _, found = Masker(Masking(), tokenizer).hide(*window, seed=7, epoch=2, row=5)
    np.testing.assert_array_equal(found, places)


def test_whole_words_are_asked_for_together(tokenizer, window):
    _, word_of = window
    masker = Masker(Masking(whole_words=True), tokenizer)
    counts = np.zeros(34)
    for _, places in asked(masker, window, 2000):
        words, sizes = np.unique(word_of[places], return_counts=True)
        whole = np.bincount(word_of[word_of >= 0])[words]
        np.testing.assert_array_equal(sizes, whole)
        assert 13 <= len(places) <= 15
        counts[words] += 1
    assert np.abs(counts[:-1] / 2000 - 0.15).max() < 0.05


@pytest.mark.parametrize("kind", ["wordpiece", "byte_bpe", "unigram", "word"])
def test_words_are_those_of_every_kind_of_tokenizer(kind):
    size, least = (290 if kind == "byte_bpe" else 60), 1 if kind == "word" else 100
    tokenizer = Tokenizer.train(TEXTS * 3, kind, size, min_frequency=least)
    text = "the unbelievable cat, quickly"
    [document] = align(tokenizer, [text])
    masker = Masker(Masking(share=0.6, whole_words=True), tokenizer)
    several = collections.Counter(document.word_of.tolist())
    assert kind == "word" or several.most_common(1)[0][1] > 1
    for row in range(40):
        _, places = masker.hide(document.token_ids, document.word_of, 0, 0, row)
        for word in set(document.word_of[places].tolist()) - {-1}:
            own = np.flatnonzero(document.word_of == word)
            own = own[np.isin(own, masker.askable(document.token_ids))]
            assert set(own) <= set(places.tolist())


def test_a_word_beyond_the_share_is_asked_for_in_part(tokenizer):
    masker = Masker(Masking(whole_words=True), tokenizer)
    ids, word_of = np.arange(10, 20, dtype="int32"), np.zeros(10, int)
    for row in range(5):
        assert len(masker.hide(ids, word_of, 0, 0, row)[1]) == 2


def test_where_nothing_can_be_asked_for_nothing_is(tokenizer):
    ids = np.array([tokenizer.start_id, tokenizer.unk_id, tokenizer.end_id], "int32")
    for whole in (False, True):
        masker = Masker(Masking(whole_words=whole), tokenizer)
        read, places = masker.hide(ids, np.zeros(3, int), 0, 0, 0)
        assert len(places) == 0
        np.testing.assert_array_equal(read, ids)


def test_the_least_is_one_token():
    assert [Masking().most(n) for n in (1, 3, 10, 100)] == [1, 1, 2, 15]


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"share": 0}, "above 0 and at most 1. Received: share=0"),
        ({"share": True}, "Received: share=True"),
        ({"mask_share": 1.5}, "from 0 to 1. Received: mask_share=1.5"),
        ({"random_share": 0.3}, "must not exceed 1 together"),
        ({"whole_words": 1}, "True or False. Received: whole_words=1"),
        ({"shares": 1}, "knows share, mask_share, random_share, whole_words"),
        ([1], r"must be a dict or None. Received: masking=\[1\]"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        Masking.of(arguments)
