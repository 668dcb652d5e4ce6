"""Attention by features: weights are products, so keys are summed up once.

A feature map turns queries and keys into numbers that are not negative; the weight of a
key is the product of its features with the query's, over the sum of all. What a query
sees of the keys is then a sum of feature × value that does not depend on the query.
Causal sums go from block to block; within a block, weights are made as ever.

A text is treated in stretches, whose features stay in the processor's caches.
"""

import functools

import keras
from keras import ops

from kzoo.layers.kernels import tiles
from kzoo.layers.kernels.kernel import one_text

BLOCK = 128  # places that causal attention treats at once
STRETCH = 1024  # places, at least, whose features are there at once
MOST = 32  # stretches of a text: compilers lay each out by itself


def attend(heads, of_queries, of_keys, again=False):
    """Return the context, `(B, T, N, H)`.

    Args:
        heads: `Heads`.
        of_queries: function from queries `(B, t, N, H)` to their features, float32
            `(B, t, N, M)`; each query's up to a factor.
        of_keys: function from keys `(B, s, K, H)`, and which are there, bool
            `(B, s, 1, 1)` or `None`, to their features, float32 `(B, s, K, M)`, and a
            scale, float32 `(B | 1, 1, K | 1, 1)`: exp of it is a factor of them all.
        again: bool. Whether the way back makes features again, a stretch at a time,
            for want of room for them all.

    Raises:
        ValueError: if it is causal, and keys are of another text than queries.
    """
    if heads.causal:
        one_text(heads)
    way = _causal if heads.causal else _both_ways
    contexts = way(heads, of_queries, of_keys, keras.remat if again else _kept)
    return ops.concatenate(contexts, axis=1) if len(contexts) > 1 else contexts[0]


def _kept(function):
    """In place of `keras.remat`: what the function makes is kept for the way back."""
    return function


def weights(heads, of_queries, of_keys):
    """Return all weights, `(B, N, T, S)`; arguments are those of `attend`."""
    queries, (keys, _) = of_queries(heads.queries), of_keys(heads.keys, _real(heads))
    mask = heads.mask(ops.shape(queries)[1], ops.shape(keys)[1])
    return ops.cast(_weights(queries, keys, mask), heads.queries.dtype)


def _real(heads):
    """Which keys are there, bool `(B, S, 1, 1)`; `None` if all."""
    real = heads.padding_mask
    return None if real is None else ops.cast(real, "bool")[:, :, None, None]


def stretch_of(length):
    """How many places of a text, of a length that is known, are treated at once."""
    return min(length, max(STRETCH, BLOCK * -(-length // (BLOCK * MOST))))


def _stretches(*tensors):
    """Cut `(B, T, …)` into stretches, tuples of one of each; `None` stays."""
    length = ops.shape(tensors[0])[1]
    if not isinstance(length, int) or length <= STRETCH:
        return [tensors]
    cut = [_cut(x, length, stretch_of(length)) for x in tensors]
    return list(zip(*cut, strict=True))


def _cut(x, length, size):
    """Cut one of them, not by slices: the gradient of each is as long as the text."""
    number, whole = length // size, length // size * size
    if x is None:
        return [None] * -(-length // size)
    if whole == length:
        return ops.split(x, number, axis=1)
    return [*ops.split(x[:, :whole], number, axis=1), x[:, whole:]]


def _both_ways(heads, of_queries, of_keys, run):
    """Let every query see every key: contexts of stretches."""
    sums = scale = None
    for keys, values, real in _stretches(heads.keys, heads.values, _real(heads)):
        add = functools.partial(_summed, of_keys, real)
        more, more_scale = run(add)(keys, values)
        if sums is not None:
            more, more_scale = _together(sums, scale, more, more_scale)
        sums, scale = more, more_scale
    read = run(functools.partial(_read, of_queries))
    return [read(queries, sums) for (queries,) in _stretches(heads.queries)]


def _causal(heads, of_queries, of_keys, run):
    """Let each query see the keys up to its own place: contexts of stretches."""
    contexts, before = [], ()
    tensors = heads.queries, heads.keys, heads.values, _real(heads)
    for queries, keys, values, real in _stretches(*tensors):
        go_on = functools.partial(_read_causally, of_queries, of_keys, real)
        context, *before = run(go_on)(queries, keys, values, *before)
        contexts.append(context)
    return contexts


def _together(sums, scale, more, more_scale):
    """Add sums of two scales up: sums and their scale."""
    most = ops.maximum(scale, more_scale)
    return _scaled(sums, scale, most) + _scaled(more, more_scale, most), most


def _scaled(sums, scale, most):
    """Bring sums, `(B, K, M, H + 1)`, from a scale of keys to a larger one."""
    return sums * ops.transpose(ops.exp(scale - most), (0, 2, 1, 3))


def _features_and_values(of_keys, real, keys, values):
    """Features of keys, zeros at padding; their scale; values `(B, s, K, H + 1)`."""
    keys, scale = of_keys(keys, real)
    if real is not None:
        keys = keys * ops.cast(real, keys.dtype)
    values = ops.cast(values, keys.dtype)
    ones = ops.ones_like(values[..., :1])  # They sum up the features themselves.
    return keys, scale, ops.concatenate([values, ones], axis=-1)


def _summed(of_keys, real, keys, values):
    """Sums of a stretch, float32 `(B, K, M, H + 1)`, and their scale."""
    keys, scale, values = _features_and_values(of_keys, real, keys, values)
    keys = ops.transpose(keys, (0, 2, 3, 1))  # (B, K, M, s)
    values = ops.transpose(values, (0, 2, 1, 3))  # (B, K, s, H + 1)
    return ops.matmul(keys, values), scale


def _read(of_queries, queries, sums):
    """The context of a stretch of queries by sums of all keys, `(B, t, N, H)`."""
    dtype, width = queries.dtype, sums.shape[-1]
    queries = of_queries(queries)
    batch, length, num_heads, size = ops.shape(queries)
    queries = ops.transpose(queries, (0, 2, 1, 3))  # (B, N, t, M)
    queries = ops.reshape(queries, (batch, sums.shape[1], -1, size))
    seen = ops.matmul(queries, sums)  # (B, K, G·t, H + 1)
    seen = ops.reshape(seen, (batch, num_heads, length, width))
    return ops.cast(_context(ops.transpose(seen, (0, 2, 1, 3))), dtype)


def _read_causally(
    of_queries, of_keys, real, queries, keys, values, before=None, scale=None
):
    """The context of a stretch, and the sums and the scale up to its end.

    Args:
        of_queries, of_keys, real: as for `attend`.
        queries: `(B, t, N, H)`.
        keys: `(B, t, K, H)`.
        values: `(B, t, K, H)`.
        before: sums up to its beginning, `(B, K, M, H + 1)`; `None` at the first.
        scale: theirs.
    """
    dtype, queries = queries.dtype, of_queries(queries)
    keys, own_scale, values = _features_and_values(of_keys, real, keys, values)
    if before is not None:
        most = ops.maximum(scale, own_scale)
        keys = keys * ops.exp(own_scale - most)
        before, own_scale = _scaled(before, scale, most), most
    length, shared, width = ops.shape(queries)[1], keys.shape[2], values.shape[-1]
    block = min(BLOCK, length)
    groups = queries.shape[2] // shared
    queries, keys, values = (tiles.blocked(x, block) for x in (queries, keys, values))
    blocks, batch, _, num_heads, size = ops.shape(queries)
    queries = ops.reshape(queries, (blocks, batch, block, shared, groups, size))
    queries = ops.transpose(queries, (0, 1, 3, 4, 2, 5))  # (n, B, K, G, b, M)
    rows = ops.reshape(queries, (blocks, batch, shared, groups * block, size))
    keys = ops.transpose(keys, (0, 1, 3, 4, 2))  # (n, B, K, M, b)
    values = ops.transpose(values, (0, 1, 3, 2, 4))  # (n, B, K, b, H + 1)
    sums = ops.matmul(keys, values)  # (n, B, K, M, H + 1), of each block
    first = ops.zeros_like(sums[0]) if before is None else before
    sums = ops.cumsum(ops.concatenate([first[None], sums], axis=0), axis=0)
    weights = ops.matmul(rows, keys)  # (n, B, K, G·b, b)
    places = ops.arange(block, dtype="int32")
    earlier = places[:, None] >= places  # (b, b)
    earlier = ops.tile(ops.cast(earlier, weights.dtype), (groups, 1))
    seen = ops.matmul(weights * earlier, values) + ops.matmul(rows, sums[:-1])
    seen = ops.reshape(seen, (blocks, batch, shared, groups, block, width))
    seen = ops.transpose(seen, (0, 1, 4, 2, 3, 5))  # (n, B, b, K, G, H + 1)
    seen = ops.reshape(seen, (blocks, batch, block, num_heads, width))
    context = _context(tiles.joined(seen, length))
    return ops.cast(context, dtype), sums[-1], own_scale


def _context(seen):
    """Divide what is seen by the sum of its features, the last of the last axis."""
    return _divided(seen[..., :-1], seen[..., -1:])


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
    """Divide by a total; where there is none, sums are zeros, and gradients finite."""
    return sums / ops.where(total > 0, total, 1.0)
