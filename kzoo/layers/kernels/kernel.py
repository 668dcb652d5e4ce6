"""What a kernel of attention is given, and what it answers."""

from typing import NamedTuple

import keras
from keras import ops

from kzoo.layers import masks
from kzoo.layers.kernels import dense


class Heads(NamedTuple):
    """All that an attention layer hands to its kernel; nothing of it is T × S.

    Attributes:
        queries: float `(B, T, N, H)`, rotated where positions rotate.
        keys: float `(B, S, K, H)`, likewise; K divides N.
        values: float `(B, S, K, H)`.
        scale: float. Factor on the scores.
        padding_mask: bool `(B, S)`, `True` marks a token, `False` padding; or `None`
            where all keys are tokens.
        causal: bool. Whether a query sees its own place and those before it only.
            Queries and keys both count their places from 0.
        bias: `None`, or a function from the places of some queries, int `(t,)`, and
            keys, int `(s,)`, to float `(1, N, t, s)` to add to their scores, or to
            `None`. It depends on the distances alone.
        drop: `None`, or `kzoo.layers.dropout.Drop`: a function from weights to weights,
            which can do so tile by tile, too.
        hidden: float `(B, T, D)`, what the queries were projected from.
        rotary: pair of float `(T, 1, H / 2)` tables that have rotated queries and
            keys, or `None`.
    """

    queries: object
    keys: object
    values: object
    scale: float
    padding_mask: object = None
    causal: bool = False
    bias: object = None
    drop: object = None
    hidden: object = None
    rotary: object = None

    def mask(self, length, size):
        """Return padding and causality, bool, broadcastable to `(B, 1, T, S)`.

        Args:
            length: int. T, the first so many queries.
            size: int. S, all keys.

        `None` where every query sees every key.
        """
        seen = self.padding_mask
        return masks.conjunction(
            None if seen is None else masks.padding_mask(seen),
            masks.before(length, size) if self.causal else None,
        )


class Kernel(keras.layers.Layer):
    """The interface: how scores become context without all of the scores.

    A subclass is a constructor of plain numbers, `attend`, and what else is not as
    here. Its line in `kzoo.layers.kernels.KERNELS` gives it a name.

    Attributes:
        for_decoders: bool. Whether a decoder may have it: it is causal where it is
            told to be, and a new query sees the keys so far as `sees` says, by softmax.
        drops: bool. Whether there are weights that dropout can drop.
    """

    for_decoders = True
    drops = True

    def build(self, hidden_shape, heads_shape):
        """Make what weights there are.

        Args:
            hidden_shape: `(B, T, D)`.
            heads_shape: `(N, H)`.
        """

    def attend(self, heads):
        """Return the context, float `(B, T, N, H)`; zeros where a query sees nothing.

        Args:
            heads: `Heads`.
        """
        raise TypeError("A kernel of attention says how it attends")

    def get_config(self):
        # Keras asks every layer for one of its own; what has no options adds nothing.
        return super().get_config()

    def sees(self, query_positions, key_positions):
        """Say who sees whom, causality and padding aside.

        Args:
            query_positions: int `(T,)`.
            key_positions: int `(S,)`.

        Returns:
            Bool, broadcastable to `(1, N, T, S)`, or `None` where all do.
        """
        return None

    def dense_weights(self, heads):
        """Return the weights as dense attention would, float `(B, N, T, S)`.

        Made apart from the context, only when asked for, and before dropout.

        Args:
            heads: `Heads`.
        """
        length, size = ops.shape(heads.queries)[1], ops.shape(heads.keys)[1]
        places = [ops.arange(n, dtype="int32") for n in (length, size)]
        mask = masks.conjunction(
            heads.mask(length, size), self.sees(*places)
        )  # (B|1, N|1, T, S)
        bias = None if heads.bias is None else heads.bias(*places)
        folded = masks.fold(mask, bias, heads.queries.dtype)
        tensors = heads.queries, heads.keys, heads.values
        return dense.attend(tensors, folded, heads.scale, return_weights=True)[1]


def at_least(name, value, least):
    """Raise a `ValueError` if an argument is not an int of at least so much."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(
            f"`{name}` must be an integer of at least {least}. "
            f"Received: {name}={value!r}"
        )


def one_text(heads):
    """Raise a `ValueError` unless there are as many keys as queries."""
    length, size = heads.queries.shape[1], heads.keys.shape[1]
    if length != size:
        raise ValueError(
            "A kernel that goes by distances lets a text attend to itself, so there "
            f"are as many keys as queries. Received: {length} queries, {size} keys"
        )


def no_bias(heads, kernel):
    """Raise a `ValueError` where positions add to scores that a kernel does not make.

    Args:
        heads: `Heads`.
        kernel: `Kernel`, whom errors name.
    """
    place = ops.zeros((1,), dtype="int32")
    if heads.bias is not None and heads.bias(place, place) is not None:
        raise ValueError(
            "This kernel makes no scores that positions could add to; choose positions "
            "that are added to embeddings, or that rotate. "
            f"Received: kernel={type(kernel).__name__}, with a bias"
        )
