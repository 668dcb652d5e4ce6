"""Attention over a cache, whose heads stand before its places."""

from keras import ops


def explicit(queries, keys, values, bias, scale, drop):
    """Attend by scores, softmax and sum, without moving the cache in memory.

    Args:
        queries: float `(B, T, N, H)`.
        keys: float `(B, K, S, H)`.
        values: float `(B, K, S, H)`.
        bias: float, broadcastable to `(B, N, T, S)`, or `None`.
        scale: float. Factor on the scores.
        drop: function from weights to weights, the dropout, or `None`.

    Returns:
        Context, float `(B, T, N, H)`, and weights, float `(B, N, T, S)`.
    """
    batch, length, num_heads, head_dim = ops.shape(queries)
    num_key_value_heads, size = ops.shape(keys)[1:3]
    rows = num_heads // num_key_value_heads * length
    queries = ops.transpose(queries * scale, (0, 2, 1, 3))  # (B, N, T, H)
    queries = ops.reshape(queries, (batch, num_key_value_heads, rows, head_dim))
    scores = ops.matmul(queries, ops.transpose(keys, (0, 1, 3, 2)))  # (B, K, rows, S)
    scores = ops.reshape(scores, (batch, num_heads, length, size))
    if bias is not None:
        scores = scores + bias
    weights = ops.softmax(ops.cast(scores, "float32"), axis=-1)
    weights = ops.cast(weights, queries.dtype)  # (B, N, T, S)
    if drop is not None:
        weights = drop(weights)
    context = ops.matmul(
        ops.reshape(weights, (batch, num_key_value_heads, rows, size)), values
    )  # (B, K, rows, H)
    context = ops.reshape(context, (batch, num_heads, length, head_dim))
    return ops.transpose(context, (0, 2, 1, 3)), weights
