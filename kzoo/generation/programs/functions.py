"""What the programs compute, once, on tensors: reading sources, and one step."""

from keras import ops


def read(model, token_ids, padding_mask, beams, length):
    """Read sources, and make room for what will be written.

    Args:
        model: as `make_programs` takes it.
        token_ids: int32 `(B, S)`.
        padding_mask: bool `(B, S)`. `True` marks a token.
        beams: int. K, texts that are written at once for each source.
        length: int. T, their most tokens.

    Returns:
        The memory, which every step reads, and the cache, which every step writes.
    """
    source = model.read(token_ids, padding_mask)
    memory = model.decoder.start(source["encoded"], source["padding_mask"], length)
    cache = model.decoder.empty_cache(token_ids.shape[0], beams, length)
    return {"source": source, "decoder": memory}, cache


def score(model, tokens, time, cache, memory, ancestry):
    """Read one more token of every beam and score what may follow.

    Args:
        tokens: int32 `(B, K)`.
        time: int or int32 scalar. How many tokens were read before.
        cache, memory: as `read` or the step before gave them.
        ancestry: int32 `(B, K, T)`, see `TransformerDecoder.step`.

    Returns:
        Float32 `(B, K, V)`, and the cache.
    """
    hidden, cache = model.decoder.step(
        tokens, time, cache, memory["decoder"], ancestry
    )  # (B, K, D)
    return ops.cast(model.scores(hidden, memory["source"]), "float32"), cache


def best(scores, count, kind):
    """The best candidates of each beam, or all.

    Args:
        scores: float32 `(B, K, V)`, logits or log-probabilities.
        count: int, c, or `None` for all.
        kind: "logits" for the scores as they are, or "log_probabilities".

    Returns:
        ids, int32 `(B, K, c)`, or `None` for all; values, float32 `(B, K, c)`, best
        first and of equal ones the lower id first, or `(B, K, V)`.
    """
    normal = kind == "log_probabilities"
    if count is None:
        return None, ops.log_softmax(scores, axis=-1) if normal else scores
    values, ids = ops.top_k(scores, count)
    if normal:  # After the choice: V subtractions fewer.
        values = values - ops.logsumexp(scores, axis=-1, keepdims=True)
    return ops.cast(ids, "int32"), values
