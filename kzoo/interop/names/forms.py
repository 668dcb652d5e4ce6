"""How a weight lies in kzoo and how the same one lies elsewhere: there and back.

PyTorch keeps a linear map as `(out, in)`, so that y = x Wᵀ; kzoo as `(in, out)`, with
heads as an axis of their own. Shapes: D hidden size, N heads, H head size.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Form:
    """A pair of functions, each the inverse of the other.

    Attributes:
        read: from their arrays, as many as a `Name` names, to ours: an array, or a
            tuple where the name has several of ours.
        write: from our arrays to theirs, likewise. `None` where there is no way back.
    """

    read: Callable
    write: Callable | None


SAME = Form(lambda x: x, lambda x: x)
TRANSPOSED = Form(lambda x: x.T, lambda x: x.T)


def heads(num_heads):
    """A linear map into heads: theirs `(N · H, D)`, ours `(D, N, H)`."""
    return Form(
        lambda x: x.T.reshape(x.shape[1], num_heads, -1),
        lambda x: x.reshape(x.shape[0], -1).T,
    )


def head_bias(num_heads):
    """What is added to heads: theirs `(N · H,)`, ours `(N, H)`."""
    return Form(lambda x: x.reshape(num_heads, -1), lambda x: x.reshape(-1))


def merged_heads(num_heads):
    """A linear map out of heads: theirs `(D, N · H)`, ours `(N, H, D)`."""
    return Form(
        lambda x: x.T.reshape(num_heads, -1, x.shape[0]),
        lambda x: x.reshape(-1, x.shape[-1]).T,
    )


def rows_from(start):
    """A table whose first `start` rows mean nothing here: zeros on the way back."""

    def write(x):
        return np.concatenate([np.zeros((start, *x.shape[1:]), x.dtype), x])

    return Form(lambda x: x[start:], write)


def fused(*forms):
    """Several of ours in one of theirs, one after another along its first axis.

    Args:
        *forms: the form of each equal part, in the order of theirs, such as
            `fused(heads(N), heads(N), heads(N))` for queries, keys and values.
    """

    def read(x):
        parts = np.split(x, len(forms))
        return tuple(form.read(part) for form, part in zip(forms, parts, strict=True))

    def write(*ours):
        parts = [form.write(x) for form, x in zip(forms, ours, strict=True)]
        return np.concatenate(parts)

    return Form(read, write)


def stacked(*forms):
    """One of ours in several of theirs: theirs one below another along our first axis.

    Args:
        *forms: the form of each equal part of ours.
    """

    def read(*theirs):
        parts = [form.read(x) for form, x in zip(forms, theirs, strict=True)]
        return np.concatenate(parts)

    def write(x):
        parts = np.split(x, len(forms))
        return tuple(form.write(part) for form, part in zip(forms, parts, strict=True))

    return Form(read, write)
