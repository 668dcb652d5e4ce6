"""Dense attention: every query scores every key."""

from keras import ops


def explicit(queries, keys, values, bias, scale, drop):
    """Attend by scores, softmax and sum, so that the weights can be seen and dropped.

    Args:
        queries: float `(B, T, N, H)`.
        keys: float `(B, S, K, H)`.
        values: float `(B, S, K, H)`.
        bias: float, broadcastable to `(B, N, T, S)`, or `None`.
        scale: float. Factor on the scores.
        drop: function from weights to weights, the dropout, or `None`.

    Returns:
        Context, float `(B, T, N, H)`, and weights, float `(B, N, T, S)`.
    """
    keys = ops.transpose(keys, (0, 2, 3, 1))  # (B, K, H, S)
    values = ops.transpose(values, (0, 2, 1, 3))  # (B, K, S, H)
    return heads_first(queries, keys, values, bias, scale, drop)


def heads_first(queries, keys, values, bias, scale, drop):
    """Attend to keys and values that are laid out for plain matrix products.

    An einsum that leaves the head axis inside is four times slower under XLA on a CPU.
    The queries that share a key/value head are rows of one product, so nothing is
    repeated.

    Args:
        queries: float `(B, T, N, H)`.
        keys: float `(B, K, H, S)`.
        values: float `(B, K, S, H)`.
        bias, scale, drop: as for `explicit`.

    Returns:
        As `explicit`.
    """
    batch, length, num_heads, head_dim = ops.shape(queries)
    num_key_value_heads, _, size = ops.shape(keys)[1:]
    rows = num_heads // num_key_value_heads * length
    queries = ops.transpose(queries * scale, (0, 2, 1, 3))  # (B, N, T, H)
    queries = ops.reshape(queries, (batch, num_key_value_heads, rows, head_dim))
    scores = ops.matmul(queries, keys)  # (B, K, N/K·T, S)
    scores = ops.reshape(scores, (batch, num_heads, length, size))
    if bias is not None:
        scores = scores + bias
    weights = ops.softmax(ops.cast(scores, "float32"), axis=-1)
    weights = ops.cast(weights, queries.dtype)  # (B, N, T, S)
    if drop is not None:
        weights = drop(weights)
    context = ops.matmul(
        ops.reshape(weights, (batch, num_key_value_heads, rows, size)), values
    )  # (B, K, N/K·T, H)
    context = ops.reshape(context, (batch, num_heads, length, head_dim))
    return ops.transpose(context, (0, 2, 1, 3)), weights
