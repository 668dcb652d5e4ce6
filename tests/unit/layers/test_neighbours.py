"""Heads that begin at one neighbour each."""

import numpy as np
import pytest
from keras import ops

from kzoo.layers import RelativePositions


def favourites(num_heads, bidirectional):
    """The key position that each head of a fresh scheme favours for query 10."""
    scheme = RelativePositions(num_heads, 16, 32, bidirectional, neighbour_bias=5.0)
    scheme.build()
    positions = ops.arange(20, dtype="int32")
    bias = np.asarray(ops.convert_to_numpy(scheme.bias(positions, positions)))
    assert (bias[0, :, 10] > 4).sum(-1).tolist() == [1] * num_heads
    return (bias[0, :, 10].argmax(-1) - 10).tolist()


@pytest.mark.parametrize(
    "bidirectional, expected", [(True, [-1, 1, -2, 2, -3, 3, -1, 1]), (False, [-1, -2])]
)
def test_each_head_favours_another_neighbour(bidirectional, expected):
    assert favourites(len(expected), bidirectional) == expected


def test_without_it_no_distance_is_favoured():
    scheme = RelativePositions(4)
    scheme.build()
    assert np.abs(ops.convert_to_numpy(scheme.embeddings)).max() < 0.2
