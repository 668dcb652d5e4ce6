"""Dense attention: every query scores every key."""

from keras import ops

from kzoo.layers.native import operations


def attend(tensors, folded, scale, drop=None, return_weights=False, ways=None):
    """Attend by the backend's fused kernel if it has one and no weights are touched.

    Args:
        tensors: queries, keys and values, as for `explicit`.
        folded: `masks.Folded`.
        scale: float. Factor on the scores.
        drop: as for `explicit`.
        return_weights: bool.
        ways: pair of functions, explicit and fused (or `None`); `None` for those of
            this module.

    Returns:
        The context `(B, T, N, H)` and, on the explicit path, the weights
        `(B, N, T, S)`, else `None`. A query that sees nothing has zeros.
    """
    way, fused = ways or (explicit, operations.fused_attention)
    arguments = (*tensors, folded.bias, scale)
    if return_weights or drop is not None or fused is None:
        context, weights = way(*arguments, drop=drop)
    else:
        context, weights = fused(*arguments), None
    if folded.sees is None:
        return context, weights
    # Softmax has no zero answer: a row that sees nothing is set to zero here.
    if weights is not None:
        weights = weights * folded.sees
    sees = ops.transpose(folded.sees, (0, 2, 1, 3))  # (B|1, T|1, N|1, 1)
    return operations.zero_where_blind(context, sees), weights


def explicit(queries, keys, values, bias, scale, drop, choose=None):
    """Attend by scores, softmax and sum, so that the weights can be seen and dropped.

    Args:
        queries: float `(B, T, N, H)`.
        keys: float `(B, S, K, H)`.
        values: float `(B, S, K, H)`.
        bias: float, broadcastable to `(B, N, T, S)`, or `None`.
        scale: float. Factor on the scores.
        drop: function from weights to weights, the dropout, or `None`.
        choose: function from scores with their bias to scores, which closes some, or
            `None`.

    Returns:
        Context, float `(B, T, N, H)`, and weights, float `(B, N, T, S)`.
    """
    keys = ops.transpose(keys, (0, 2, 3, 1))  # (B, K, H, S)
    values = ops.transpose(values, (0, 2, 1, 3))  # (B, K, S, H)
    return heads_first(queries, keys, values, bias, scale, drop, choose)


def heads_first(queries, keys, values, bias, scale, drop, choose=None):
    """Attend to keys and values that are laid out for plain matrix products.

    An einsum that leaves the head axis inside is four times slower under XLA on a CPU.
    The queries that share a key/value head are rows of one product, so nothing is
    repeated.

    Args:
        queries: float `(B, T, N, H)`.
        keys: float `(B, K, H, S)`.
        values: float `(B, K, S, H)`.
        bias, scale, drop, choose: as for `explicit`.

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
    if choose is not None:
        scores = choose(scores)
    weights = ops.softmax(ops.cast(scores, "float32"), axis=-1)
    weights = ops.cast(weights, queries.dtype)  # (B, N, T, S)
    if drop is not None:
        weights = drop(weights)
    context = ops.matmul(
        ops.reshape(weights, (batch, num_key_value_heads, rows, size)), values
    )  # (B, K, N/K·T, H)
    context = ops.reshape(context, (batch, num_heads, length, head_dim))
    return ops.transpose(context, (0, 2, 1, 3)), weights
