"""Attention to what is near, where it is known how long a text is.

A text is cut into its beginning, its end, and blocks between them, each of which sees
as far before itself and after itself as all others do. So one band of C queries and E
keys, made on the host, is the mask of every block, and no place is filled up. Padding
adds a number per key.
"""

from typing import NamedTuple

import keras
import numpy as np
from keras import ops

from kzoo.layers import masks
from kzoo.layers.kernels import dense


class _Stretch(NamedTuple):
    """Queries that follow each other, by blocks that see as far as each other.

    Attributes:
        start: int. The place of the first query.
        blocks: int. n
        block: int. C, queries of a block.
        before: int. How many keys before its first query a block has.
        after: int. How many after its last.
        apart: int. So many keys of the beginning of the text it has besides.
    """

    start: int
    blocks: int
    block: int
    before: int
    after: int
    apart: int

    @property
    def size(self):
        """E, keys of a block."""
        return self.before + self.block + self.after

    @property
    def first_key(self):
        """The place of the first key of the first block."""
        return self.start - self.before


def attend(heads, window, block, first=0):
    """As `kzoo.layers.kernels.bands.attend`, without dilation.

    Args:
        heads: `Heads`, of as many keys as queries, a number that is known.
        window: int, at least 1.
        block: int. C.
        first: int.

    Returns:
        Context, float `(B, T, N, H)`.
    """
    length = heads.queries.shape[1]
    window, first = min(window, length), min(first, length)
    seen = _seen(heads, window, first)
    contexts = [
        _context(heads, stretch, window, first, seen)
        for stretch in _stretches(length, window, block, first, heads.causal)
    ]
    return ops.concatenate(contexts, axis=1) if len(contexts) > 1 else contexts[0]


def _stretches(length, window, block, first, causal):
    """Cut a text: a list of `_Stretch`."""
    after = 0 if causal else window
    begin = min(window + first, length)
    unused = -(window + after) % block  # of the last piece of a block's keys
    blocks = (length - begin - after - unused) // block
    if blocks < 1:
        return [_Stretch(0, 1, length, 0, 0, 0)]
    end = begin + blocks * block
    stretches = [
        _Stretch(0, 1, begin, 0, after, 0),
        _Stretch(begin, blocks, block, window, after, first),
    ]
    if end < length:
        stretches.append(_Stretch(end, 1, length - end, window, 0, first))
    return stretches


def _context(heads, stretch, window, first, seen):
    """The context of a stretch, `(B, n · C, N, H)`."""
    queries, sees = (_queries_of(x, stretch) for x in (heads.queries, seen))
    keys, values, real = (
        _keys_of(x, stretch) for x in (heads.keys, heads.values, heads.padding_mask)
    )  # (B·n, apart + E, …)
    folded = masks.Folded(
        _bias(heads, stretch, window, first, real),
        None if sees is None else sees[:, None, :, None],  # (B·n, 1, C, 1)
    )
    context, _ = dense.attend(
        (queries, keys, values), folded, heads.scale, heads.drop
    )  # (B·n, C, N, H)
    shape = ops.shape(context)
    return ops.reshape(context, (-1, stretch.blocks * stretch.block, *shape[2:]))


def _queries_of(x, stretch):
    """Turn `(B, T, …)` into rows of blocks, `(B·n, C, …)`; `None` stays."""
    if x is None:
        return None
    x = x[:, stretch.start : stretch.start + stretch.blocks * stretch.block]
    return ops.reshape(x, (-1, stretch.block, *x.shape[2:]))


def _keys_of(x, stretch):
    """Turn `(B, T, …)` into rows of what blocks see, `(B·n, apart + E, …)`."""
    if x is None:
        return None
    n, block, size = stretch.blocks, stretch.block, stretch.size
    rest = x.shape[2:]
    if n == 1:
        rows = x[:, stretch.first_key : stretch.first_key + size][:, None]
    else:
        pieces = []
        for place in range(0, size, block):
            at = stretch.first_key + place
            piece = ops.reshape(x[:, at : at + n * block], (-1, n, block, *rest))
            pieces.append(piece[:, :, : size - place])
        rows = ops.concatenate(pieces, axis=2)  # (B, n, E, …)
    if stretch.apart:
        begin = x[:, None, : stretch.apart]
        begin = ops.repeat(begin, n, axis=1)  # (B, n, apart, …)
        rows = ops.concatenate([begin, rows], axis=2)
    return ops.reshape(rows, (-1, stretch.apart + size, *rest))


def _bias(heads, stretch, window, first, real):
    """What is added to scores, `(1 | B·n, 1 | N, C, apart + E)`, or `None`."""
    band = _band(stretch, window, first, heads.causal)
    bias = _position_bias(heads, stretch)
    dtype = keras.backend.standardize_dtype(heads.queries.dtype)
    # Half of it twice is as much as a score may be lowered by.
    closed = masks.closed(dtype) * (1.0 if real is None else 0.5)
    if not band.all():
        closed_there = ops.cast(np.where(band, 0.0, closed)[None, None], dtype)
        if bias is None:
            bias = closed_there
        else:
            bias = ops.where(band[None, None], bias, closed_there)
    if real is None:
        return bias
    padding = ops.where(ops.cast(real, "bool"), 0.0, closed)  # (B·n, apart + E)
    padding = ops.cast(padding, dtype)[:, None, None]
    return padding if bias is None else bias + padding


def _band(stretch, window, first, causal):
    """Who sees whom in every block, NumPy bool `(C, apart + E)`."""
    queries = np.arange(stretch.block)[:, None]
    keys = np.arange(-stretch.before, stretch.block + stretch.after)
    distance = queries - keys
    band = (distance <= window) & (distance >= (0 if causal else -window))
    if not stretch.start:  # The first keys are among its own.
        known = np.broadcast_to(keys < first, band.shape)
        band = band | ((distance >= 0) & known if causal else known)
    apart = np.ones((stretch.block, stretch.apart), bool)
    return np.concatenate([apart, band], axis=1)


def _position_bias(heads, stretch):
    """What positions add to scores, `(1 | B·n, N, C, apart + E)`, or `None`."""
    if heads.bias is None:
        return None
    n, block = stretch.blocks, stretch.block
    queries = np.arange(block, dtype="int32")
    keys = np.arange(-stretch.before, block + stretch.after, dtype="int32")
    near = _between(heads, queries, keys)  # (1, N, C, E), the same in every block
    if near is None or not stretch.apart:
        return near
    places = np.arange(n * block, dtype="int32") + stretch.start
    far = _between(heads, places, np.arange(stretch.apart, dtype="int32"))
    far = ops.reshape(far, (-1, n, block, stretch.apart))  # (N, n, C, apart)
    far = ops.transpose(far, (1, 0, 2, 3))
    near = ops.repeat(near, n, axis=0)
    bias = ops.concatenate([far, near], axis=-1)  # (n, N, C, apart + E)
    if n == 1:
        return bias
    bias = ops.repeat(bias[None], ops.shape(heads.queries)[0], axis=0)
    return ops.reshape(bias, (-1, *bias.shape[2:]))


def _between(heads, queries, keys):
    return heads.bias(*(ops.convert_to_tensor(places) for places in (queries, keys)))


def _seen(heads, window, first):
    """Which queries see any key, float of 0 and 1 `(B, T)`; `None` where all do."""
    if heads.padding_mask is None:
        return None
    real = ops.cast(heads.padding_mask, "int32")
    length = real.shape[1]
    after = 0 if heads.causal else window
    sums = ops.cumsum(ops.pad(real, ((0, 0), (window + 1, after))), axis=1)
    seen = sums[:, window + after + 1 :] - sums[:, :length]
    if first:
        is_first = (np.arange(length) < first).astype("int32")
        known = ops.cumsum(real * is_first, axis=1)  # those up to each place
        seen = seen + (known if heads.causal else known[:, -1:])
    return ops.cast(seen > 0, heads.queries.dtype)
