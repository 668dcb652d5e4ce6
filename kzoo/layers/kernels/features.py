"""Attention by features: weights are products, so keys are summed up once.

A feature map turns queries and keys into numbers that are not negative; the weight of a
key is the product of its features with the query's, over the sum of all. What a query
sees of the keys is then a sum of feature × value that does not depend on the query.
Causal sums go from block to block; within a block, weights are made as ever.
"""

from keras import ops

from kzoo.layers.kernels import tiles
from kzoo.layers.kernels.kernel import one_text

BLOCK = 128  # places that causal attention treats at once


def attend(heads, queries, keys):
    """Return the context, `(B, T, N, H)`.

    Args:
        heads: `Heads`.
        queries: float32 `(B, T, N, M)`, features; each query's up to a factor.
        keys: float32 `(B, S, K, M)`, features, up to one factor of them all.

    Raises:
        ValueError: if it is causal, and keys are of another text than queries.
    """
    if heads.padding_mask is not None:
        keys = keys * ops.cast(heads.padding_mask, keys.dtype)[:, :, None, None]
    values = ops.cast(heads.values, keys.dtype)
    ones = ops.ones_like(values[..., :1])
    values = ops.concatenate([values, ones], axis=-1)  # (B, S, K, H + 1)
    if heads.causal:
        one_text(heads)
    way = _causal if heads.causal else _both_ways
    sums = way(queries, keys, values)  # (B, T, N, H + 1)
    context = _divided(sums[..., :-1], sums[..., -1:])
    return ops.cast(context, heads.queries.dtype)


def weights(heads, queries, keys):
    """Return all weights, `(B, N, T, S)`; arguments are those of `attend`."""
    mask = heads.mask(ops.shape(queries)[1], ops.shape(keys)[1])
    return ops.cast(_weights(queries, keys, mask), heads.queries.dtype)


def _both_ways(queries, keys, values):
    """Let every query see every key: `(B, T, N, H + 1)`."""
    batch, length, num_heads, size = ops.shape(queries)
    keys = ops.transpose(keys, (0, 2, 3, 1))  # (B, K, M, S)
    values = ops.transpose(values, (0, 2, 1, 3))  # (B, K, S, H + 1)
    sums = ops.matmul(keys, values)  # (B, K, M, H + 1)
    shared = keys.shape[1]
    queries = ops.transpose(queries, (0, 2, 1, 3))  # (B, N, T, M)
    queries = ops.reshape(queries, (batch, shared, -1, size))
    seen = ops.matmul(queries, sums)  # (B, K, G·T, H + 1)
    seen = ops.reshape(seen, (batch, num_heads, length, values.shape[-1]))
    return ops.transpose(seen, (0, 2, 1, 3))


def _causal(queries, keys, values):
    """Let each query see the keys up to its own place: `(B, T, N, H + 1)`."""
    length = ops.shape(queries)[1]
    block = min(BLOCK, length)
    shared, width = keys.shape[2], values.shape[-1]
    groups = queries.shape[2] // shared
    queries, keys, values = (tiles.blocked(x, block) for x in (queries, keys, values))
    blocks, batch, _, num_heads, size = ops.shape(queries)
    queries = ops.reshape(queries, (blocks, batch, block, shared, groups, size))
    queries = ops.transpose(queries, (0, 1, 3, 4, 2, 5))  # (n, B, K, G, b, M)
    rows = ops.reshape(queries, (blocks, batch, shared, groups * block, size))
    keys = ops.transpose(keys, (0, 1, 3, 4, 2))  # (n, B, K, M, b)
    values = ops.transpose(values, (0, 1, 3, 2, 4))  # (n, B, K, b, H + 1)
    sums = ops.matmul(keys, values)  # (n, B, K, M, H + 1), of each block
    sums = ops.cumsum(sums, axis=0)
    before = ops.concatenate([ops.zeros_like(sums[:1]), sums[:-1]], axis=0)
    weights = ops.matmul(rows, keys)  # (n, B, K, G·b, b)
    places = ops.arange(block, dtype="int32")
    earlier = places[:, None] >= places  # (b, b)
    earlier = ops.tile(ops.cast(earlier, weights.dtype), (groups, 1))
    seen = ops.matmul(weights * earlier, values) + ops.matmul(rows, before)
    seen = ops.reshape(seen, (blocks, batch, shared, groups, block, width))
    seen = ops.transpose(seen, (0, 1, 4, 2, 3, 5))  # (n, B, b, K, G, H + 1)
    seen = ops.reshape(seen, (blocks, batch, block, num_heads, width))
    return tiles.joined(seen, length)


def _weights(queries, keys, mask):
    """Return all weights, float32 `(B, N, T, S)`; zeros where a query sees nothing."""
    batch, length, num_heads, size = ops.shape(queries)
    queries = ops.transpose(queries, (0, 2, 1, 3))  # (B, N, T, M)
    queries = ops.reshape(queries, (batch, keys.shape[2], -1, size))
    keys = ops.transpose(keys, (0, 2, 3, 1))  # (B, K, M, S)
    weights = ops.matmul(queries, keys)  # (B, K, G·T, S)
    weights = ops.reshape(weights, (batch, num_heads, length, ops.shape(keys)[-1]))
    if mask is not None:
        weights = weights * ops.cast(mask, weights.dtype)
    return _divided(weights, ops.sum(weights, axis=-1, keepdims=True))


def _divided(sums, total):
    """Divide by a total, zeros where there is none; gradients stay finite."""
    is_there = total > 0
    return ops.where(is_there, sums / ops.where(is_there, total, 1.0), 0.0)
