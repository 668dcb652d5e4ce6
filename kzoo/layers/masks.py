"""Masks say who may attend to whom: bool, `True` lets the query see the key."""

from typing import NamedTuple

import keras
import ml_dtypes
from keras import ops


class Folded(NamedTuple):
    """A mask and a bias as attention adds them to its scores, made once for all layers.

    Attributes:
        bias: float, broadcastable to `(B, N, T, S)`, or `None`.
        sees: float of 0 and 1, broadcastable to `(B, N, T, 1)`: whether a query sees
            any key; `None` where each does.
        size: int. How many keys of a cache they speak of; `None` for all.
    """

    bias: object
    sees: object
    size: int | None = None


def of_keys(attention_mask):
    """Return the padding mask that a mask is made of, bool `(B, S)`, or `None`.

    Args:
        attention_mask: bool `(B, 1, 1, S)`, as `padding_mask` makes it, or `None`.

    Raises:
        ValueError: if it is another mask.
    """
    if attention_mask is None:
        return None
    shape = getattr(attention_mask, "shape", ())
    if len(shape) != 4 or tuple(shape[1:3]) != (1, 1):
        raise ValueError(
            "With a kernel, attention takes a mask of the keys alone, of shape "
            "(B, 1, 1, S). Received: attention_mask of "
            f"{tuple(shape) if len(shape) else type(attention_mask).__name__}"
        )
    return ops.cast(attention_mask, "bool")[:, 0, 0, :]


def before(length, size):
    """Return the causal mask of T queries and S keys that both begin at place 0.

    Args:
        length: int. T.
        size: int. S.

    Returns:
        Bool `(1, 1, T, S)`.
    """
    return causal_mask(*(ops.arange(n, dtype="int32") for n in (length, size)))


def fold(attention_mask, bias, dtype):
    """Merge a boolean mask and an additive bias.

    Args:
        attention_mask: bool, broadcastable to `(B, N, T, S)`, or `None`; or a `Folded`,
            which is returned.
        bias: float, broadcastable to `(B, N, T, S)`, or `None`.
        dtype: str, or a backend's own. The dtype of the scores.

    Returns:
        `Folded`.
    """
    if isinstance(attention_mask, Folded):
        return attention_mask
    dtype = keras.backend.standardize_dtype(dtype)
    bias = fold_mask(attention_mask, bias, dtype)
    if attention_mask is None:
        return Folded(bias, None)
    sees = ops.any(attention_mask, axis=-1, keepdims=True)  # (B|1, N|1, T|1, 1)
    return Folded(bias, ops.cast(sees, dtype))


def fold_mask(attention_mask, bias, dtype):
    """Merge a boolean mask and an additive bias into one additive bias.

    `ops.dot_product_attention` takes both on TensorFlow and JAX but raises on
    PyTorch, so kzoo folds them first and every backend runs the same call.

    Args:
        attention_mask: bool, broadcastable to `(B, N, T, S)`, or `None`.
        bias: float, broadcastable to `(B, N, T, S)`, or `None`.
        dtype: str. The dtype of the scores.

    Returns:
        Float tensor of the broadcast shape, or `None` if both are `None`. Closed keys
        get a large negative number that stays finite when scores are added to it.
    """
    if bias is not None:
        bias = ops.cast(bias, dtype)
    if attention_mask is None:
        return bias
    open_ = ops.cast(0.0, dtype) if bias is None else bias
    return ops.where(attention_mask, open_, ops.cast(closed(dtype), dtype))


def after_all(folded, count):
    """Put `count` more keys first, which every query sees and nothing is added to.

    Args:
        folded: `Folded`, of all S keys.
        count: int. P.

    Returns:
        `Folded`, of P + S keys; no query is blind.
    """
    bias, size = folded.bias, folded.size
    if bias is not None:
        bias = ops.pad(bias, [[0, 0], [0, 0], [0, 0], [count, 0]])
    return Folded(bias, None, None if size is None else count + size)


def closed(dtype):
    """Return the score of a key that is not seen, a float.

    It is as good as minus infinity, and stays finite when scores are added to it.

    Args:
        dtype: str, or a backend's own. The dtype of the scores.
    """
    dtype = keras.backend.standardize_dtype(dtype)
    return -0.7 * float(ml_dtypes.finfo(dtype).max)


def padding_mask(padding_mask):
    """Let every query see the real tokens only.

    Args:
        padding_mask: bool `(B, S)`. `True` marks a token, `False` padding.

    Returns:
        Bool `(B, 1, 1, S)`.
    """
    return ops.cast(padding_mask, "bool")[:, None, None, :]


def causal_mask(query_positions, key_positions):
    """Let every query see its own position and what came before it.

    Args:
        query_positions: int `(T,)`.
        key_positions: int `(S,)`.

    Returns:
        Bool `(1, 1, T, S)`.
    """
    return (query_positions[:, None] >= key_positions[None, :])[None, None]


def conjunction(*masks):
    """Let a query see a key only where every mask does.

    Args:
        *masks: bool tensors that broadcast to `(B, N, T, S)`, or `None` for a mask
            that forbids nothing.

    Returns:
        Bool tensor of the broadcast shape, or `None` if all are `None`.
    """
    present = [mask for mask in masks if mask is not None]
    if not present:
        return None
    result = present[0]
    for mask in present[1:]:
        result = ops.logical_and(result, mask)
    return result


def ancestry_mask(ancestry, beams):
    """Let every beam see its own past only, in a cache that holds all beams' pasts.

    Step `t` of beam `j` stands at place `t * beams + j` of the cache, and stays there
    when beams change places: what changes is who descends from whom.

    Args:
        ancestry: int `(B, K, T)`. The beam that each earlier step of a beam was made
            by, its own number for the present one; -1 for steps to come.
        beams: int. K.

    Returns:
        Bool `(B, 1, K, T * K)`.
    """
    mask = ancestry[..., None] == ops.arange(beams, dtype="int32")  # (B, K, T, K)
    batch, _, length = ops.shape(ancestry)
    return ops.reshape(mask, (batch, 1, beams, length * beams))
