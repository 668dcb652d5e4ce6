"""Spans that are taken out of texts, against the algorithm as T5 has it."""

import collections
import itertools

import numpy as np
import pytest

from kzoo.text import Tokenizer
from kzoo.text.masking import FIXED
from kzoo.text.spans import Corrupter, Corruption, divided

TEXT = " ".join("abcdefghijklmnopqrstuvwxyz")


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.train([TEXT] * 2, "word", 60, min_frequency=1, sentinels=12)


@pytest.fixture(scope="module")
def corrupter(tokenizer):
    return Corrupter(Corruption(), tokenizer, tokenizer.end_id)


def window(size, seed=0):
    own = np.random.default_rng(seed).integers(5, 31, size)
    return np.array([2, *own, 3], "int32")


def numbers_of_t5(length, density, mean):
    """What `random_spans_noise_mask` of T5 counts: noise tokens, and their spans."""
    noise = min(max(int(np.round(length * density)), 1), length - 1)
    return noise, max(int(np.round(noise / mean)), 1)


def by_the_mask(tokens, is_noise, sentinels):
    """T5's inputs and targets of a mask, token by token, and a last sentinel."""
    inputs, targets, number, before = [], [], -1, False
    for token, noise in zip(tokens, is_noise, strict=True):
        if noise and not before:
            number += 1
            inputs.append(sentinels[number])
            targets.append(sentinels[number])
        (targets if noise else inputs).append(token)
        before = noise
    return inputs, [*targets, sentinels[number + 1]]


def put_together(source, target, sentinels):
    """The text again: each sentinel of the source gives way to its span."""
    spans, number = {}, None
    for token in target:
        if token in sentinels:
            number = token
            spans[number] = []
        else:
            spans[number].append(token)
    text, is_noise = [], []
    for token in source:
        own = spans.get(token, [token])
        text += own
        is_noise += [token in sentinels] * len(own)
    return text, is_noise


def test_sentinels_end_the_vocabulary_in_descending_order(tokenizer):
    assert tokenizer.sentinels.tolist() == list(range(42, 30, -1))
    assert tokenizer.vocabulary_size == 43
    assert tokenizer.id_to_token(42) == "<extra_id_0>"
    assert set(tokenizer.sentinels) <= set(tokenizer.special_tokens)
    [ids] = tokenizer.encode(["a <extra_id_0> c<extra_id_1>"]).token_ids
    names = [tokenizer.id_to_token(one) for one in ids[1:-1]]
    assert names == ["a", "<extra_id_0>", "c", "<extra_id_1>"]
    again = Tokenizer.from_json(tokenizer.to_json())
    assert again.sentinels.tolist() == tokenizer.sentinels.tolist()
    assert len(Tokenizer.train([TEXT], "word", 60, min_frequency=1).sentinels) == 0


@pytest.mark.parametrize("kind", ["wordpiece", "byte_bpe", "unigram", "word"])
def test_a_vocabulary_is_no_larger_for_its_sentinels(kind):
    size = 5 + 256 + 20
    made = Tokenizer.train([TEXT + " cat dog"] * 3, kind, size, sentinels=20)
    assert made.vocabulary_size <= size and len(made.sentinels) == 20
    assert made.sentinels[0] == made.vocabulary_size - 1


@pytest.mark.parametrize("size", [2, 3, 10, 26, 40, 60])
@pytest.mark.parametrize("share, mean", [(0.15, 3.0), (0.5, 5.0), (0.9, 1.0)])
def test_it_is_what_t5s_algorithm_makes_of_the_same_mask(tokenizer, size, share, mean):
    corruption = Corruption(share, mean)
    noise, spans = numbers_of_t5(size, share, mean)
    assert corruption.counts(size) == (noise, min(spans, size - noise))
    if min(spans, size - noise) > 11:
        return  # More than this tokenizer has sentinels for.
    own = Corrupter(corruption, tokenizer, 3)
    ids = window(size)
    sentinels = tokenizer.sentinels.tolist()
    for row in range(5):
        source, target = own.corrupt(ids, 1, 0, row)
        assert (len(source), len(target)) == own.lengths(len(ids))
        assert source.dtype == target.dtype == "int32"
        assert (source[0], source[-1], target[-1]) == (2, 3, 3)
        read, written = source[1:-1].tolist(), target[:-1].tolist()
        text, is_noise = put_together(read, written, sentinels)
        assert text == ids[1:-1].tolist()
        assert sum(is_noise) == noise
        assert (read, written) == by_the_mask(text, is_noise, sentinels)


def test_all_ways_to_divide_are_as_likely():
    ways = collections.Counter(
        tuple(divided(6, 3, np.random.Philox(key=row)).tolist()) for row in range(4000)
    )
    parts = itertools.product(range(1, 5), repeat=3)
    assert set(ways) == {part for part in parts if sum(part) == 6}
    expected = 4000 / len(ways)
    assert max(abs(n - expected) for n in ways.values()) < 5 * expected**0.5


def test_shares_and_lengths_are_those_asked_for(corrupter, tokenizer):
    tokens = spans = 0
    for row in range(200):
        _, target = corrupter.corrupt(window(60, row), 0, 0, row)
        marks = np.isin(target, tokenizer.sentinels)
        tokens += (~marks).sum() - 1  # the end
        spans += marks.sum() - 1  # the last sentinel
    assert tokens == 200 * 9 and spans == 200 * 3


def test_all_places_of_spans_are_as_likely(tokenizer):
    own = Corrupter(Corruption(0.375, 1.5), tokenizer, 3)  # 3 of 8 tokens in 2 spans
    ids = np.array([2, *range(5, 13), 3], "int32")
    found = collections.Counter()
    for row in range(6000):
        _, target = own.corrupt(ids, 0, 0, row)
        found[tuple(np.isin(ids[1:-1], target).tolist())] += 1
    masks = {
        mask
        for mask in itertools.product([False, True], repeat=8)
        if sum(mask) == 3 and len([k for k, _ in itertools.groupby(mask) if k]) == 2
    }
    assert set(found) == masks and len(masks) == 30
    assert max(abs(n - 200) for n in found.values()) < 5 * 200**0.5


def test_seed_epoch_and_row_decide_and_nothing_else(corrupter):
    ids = window(40)

    def said(*key):
        return [part.tolist() for part in corrupter.corrupt(ids, *key)]

    assert said(7, 3, 5) == said(7, 3, 5)
    others = [said(8, 3, 5), said(7, 4, 5), said(7, 3, 6), said(7, FIXED, 5)]
    assert all(other != said(7, 3, 5) for other in others)


def test_lengths_never_fall_with_the_length_of_a_window(corrupter):
    lengths = [corrupter.lengths(size) for size in range(4, 64)]
    for one, other in itertools.pairwise(lengths):
        assert one[0] <= other[0] and one[1] <= other[1]


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"share": 0}, "above 0. Received: share=0"),
        ({"share": 1.0}, "below 1. Received: share=1.0"),
        ({"share": True}, "Received: share=True"),
        ({"span_length": 0.5}, "Received: span_length=0.5"),
        ({"span_length": float("inf")}, "Received: span_length=inf"),
        ({"spans": 1}, "knows share, span_length. Received: 'spans'"),
        ([1], r"must be a dict or None. Received: corruption=\[1\]"),
    ],
    ids=str,
)
def test_what_cannot_be_a_corruption_is_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        Corruption.of(arguments)
