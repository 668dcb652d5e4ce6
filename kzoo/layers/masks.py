"""Masks say who may attend to whom: bool, `True` lets the query see the key."""

from keras import ops


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
