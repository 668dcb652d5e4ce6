"""Vectors for pairs of neighbours, found by a hash."""

import numpy as np
from keras import ops

from kzoo.layers import TokenEmbedding
from kzoo.layers.embedding import bigram_hashes
from tests.helpers.masks import mix


def test_buckets_are_those_of_plain_integers():
    token_ids = np.array([[5, 7, 7, 29_999], [0, 1, 2, 3]], "int32")
    expected = [
        [
            (mix(mix(before + 1) ^ token) & 0x7FFFFFFF) % 97
            for before, token in zip([0, *row[:-1]], row, strict=True)
        ]
        for row in token_ids.tolist()
    ]
    found = ops.convert_to_numpy(bigram_hashes(token_ids, 97))
    np.testing.assert_array_equal(found, expected)


def test_buckets_are_used_evenly():
    pairs = np.random.default_rng(7).integers(0, 2000, (64, 500), "int32")
    counts = np.bincount(
        np.ravel(ops.convert_to_numpy(bigram_hashes(pairs, 64))), minlength=64
    )
    expected = pairs.size / 64
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert chi_square < 120  # 63 degrees of freedom: 1 in 100,000


def test_order_of_words_changes_the_sum_of_vectors():
    embedding = TokenEmbedding(50, 8, bigram_buckets=64)
    forward, backward = (
        ops.convert_to_numpy(ops.sum(embedding(np.array([ids], "int32")), axis=1))
        for ids in ([3, 4, 5], [5, 4, 3])
    )
    assert np.abs(forward - backward).max() > 1e-3


def test_a_pair_never_sees_what_follows():
    embedding = TokenEmbedding(50, 8, bigram_buckets=64)
    one = ops.convert_to_numpy(embedding(np.array([[3, 4, 5]], "int32")))
    other = ops.convert_to_numpy(embedding(np.array([[3, 4, 6]], "int32")))
    np.testing.assert_array_equal(one[:, :2], other[:, :2])
    assert np.abs(one[:, 2] - other[:, 2]).max() > 0


def test_dropped_pairs_leave_the_token_alone():
    embedding = TokenEmbedding(50, 8, bigram_buckets=64, bigram_dropout=0.5)
    ids = np.arange(40, dtype="int32")[None]
    tokens = np.asarray(ops.convert_to_numpy(embedding(ids, training=True)))
    tokens -= np.asarray(ops.convert_to_numpy(embedding.embeddings))[ids]
    dropped = np.abs(tokens).max(axis=-1) < 1e-7
    assert 8 <= dropped.sum() <= 32
