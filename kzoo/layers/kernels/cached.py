"""Attention over a cache, whose heads stand before its places."""

from keras import ops

from kzoo.layers.kernels import dense


def explicit(queries, keys, values, bias, scale, drop):
    """As `dense.explicit`, without moving the cache in memory.

    Args:
        queries: float `(B, T, N, H)`.
        keys: float `(B, K, S, H)`.
        values: float `(B, K, S, H)`.
        bias, scale, drop: as for `dense.explicit`.

    Returns:
        Context, float `(B, T, N, H)`, and weights, float `(B, N, T, S)`.
    """
    keys = ops.transpose(keys, (0, 1, 3, 2))  # (B, K, H, S)
    return dense.heads_first(queries, keys, values, bias, scale, drop)
