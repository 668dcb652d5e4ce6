"""A bias on the scores that depends on what is said, not on the distance alone.

The vectors of the distances become keys for the queries to score, and queries that
score the keys, by the projections of the attention layer itself.
"""

from typing import NamedTuple

from keras import ops


class ContentBias(NamedTuple):
    """Vectors of distances, from which each attention layer makes its bias.

    A distance is the query's place less the key's. Queries and keys are of the same T
    places, one after the other.

    Attributes:
        for_queries: float `(2T, D)`: the vectors of T - 1 down to -T, whose keys the
            queries score, or `None`.
        for_keys: float `(2T, D)`: the vectors of -(T - 1) up to T, whose queries score
            the keys, or `None`.
    """

    for_queries: object
    for_keys: object

    def scores(self, queries, keys, to_queries, to_keys):
        """Return the bias.

        Args:
            queries: float `(B, T, N, H)`, scaled.
            keys: float `(B, T, N, H)`, scaled.
            to_queries: function from `(2T, D)` to `(2T, N, H)`.
            to_keys: function from `(2T, D)` to `(2T, N, H)`.

        Returns:
            Float `(B, N, T, T)`, queries before keys; `None` if there are no vectors.

        Raises:
            ValueError: if several heads of queries share one of keys.
        """
        if queries.shape[2] != keys.shape[2]:
            raise ValueError(
                "Positions that look at queries and keys need as many heads of the one "
                f"as of the other. Received: {queries.shape[2]} heads of queries, "
                f"{keys.shape[2]} of keys"
            )
        bias = None
        if self.for_queries is not None:
            bias = _aligned(queries, to_keys(self.for_queries))
        if self.for_keys is not None:
            scores = _aligned(keys, to_queries(self.for_keys))  # keys before queries
            scores = ops.transpose(scores, (0, 1, 3, 2))
            bias = scores if bias is None else bias + scores
        return bias


def _aligned(content, distances):
    """Score vectors of distances and move each row so that places stand in columns.

    Row `i` of the scores holds, from column T - 1 - i on, those of place 0, 1, …: laid
    out in one line, less its first T - 1 numbers, they are rows shorter by one that
    begin there. A reshape costs nothing; a lookup per pair, and its gradient, do.

    Args:
        content: float `(B, T, N, H)`.
        distances: float `(2T, N, H)`.

    Returns:
        Float `(B, N, T, T)`.
    """
    content = ops.transpose(content, (0, 2, 1, 3))  # (B, N, T, H)
    distances = ops.transpose(distances, (1, 2, 0))  # (N, H, 2T)
    scores = ops.matmul(content, distances)  # (B, N, T, 2T)
    batch, heads, length, _ = ops.shape(scores)
    line = ops.reshape(scores, (batch, heads, 2 * length * length))
    line = line[:, :, length - 1 : length - 1 + length * (2 * length - 1)]
    rows = ops.reshape(line, (batch, heads, length, 2 * length - 1))
    return rows[:, :, :, :length]  # (B, N, T, T)
