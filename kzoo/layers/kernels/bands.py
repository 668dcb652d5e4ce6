"""Attention to what is near: each block of queries, its own keys and its neighbours'.

The blocks of a text become the rows of a batch, so what is done to them is dense
attention: a few large products. Work and memory grow with T · window.
"""

import numpy as np
from keras import ops

from kzoo.layers import masks
from kzoo.layers.kernels import dense, stretches

LEAST = 64  # places of a block: smaller products are not worth their start


def attend(heads, window, dilation=1, first=0):
    """Let each query see the keys at most `window` steps of `dilation` places away.

    Args:
        heads: `Heads`, of as many keys as queries.
        window: int, at least 1.
        dilation: int, at least 1. A text is as many strands of every so many places.
        first: int. So many keys at the beginning all queries see as well.

    Returns:
        Context, float `(B, T, N, H)`.
    """
    if dilation == 1 and isinstance(heads.queries.shape[1], int):
        return stretches.attend(heads, window, max(window, LEAST), first)
    return _Bands(heads, window, dilation, first).context()


def sees(query_positions, key_positions, window, dilation=1, first=0):
    """Return the same as a mask, bool `(1, 1, T, S)`."""
    distance = query_positions[:, None] - key_positions[None, :]  # (T, S)
    near = ops.abs(distance) <= window * dilation
    if dilation > 1:
        near = ops.logical_and(near, distance % dilation == 0)
    if first:
        near = ops.logical_or(near, key_positions[None, :] < first)
    return near[None, None]


class _Bands:
    """The layout: C places of a strand are a block, E its keys with the neighbours'."""

    def __init__(self, heads, window, dilation, first):
        self.heads = heads
        self.batch, self.length = ops.shape(heads.queries)[:2]
        self.strands = dilation
        self.block = max(window, LEAST)
        self.window = window
        known = isinstance(self.length, int)
        if known:
            strand = -(-self.length // dilation)
            first = min(first, self.length)
            self.block = min(self.block, strand)
            self.window = min(window, self.block)
        self.first = first
        places = self.block * dilation
        self.blocks = (self.length + places - 1) // places
        self.alone = known and self.blocks == 1  # A block without neighbours.
        self.reach = (
            (0, 0) if self.alone else (self.window, 0 if heads.causal else self.window)
        )
        self.padding = self.blocks * places - self.length

    def context(self):
        heads = self.heads
        queries = self._blocked(heads.queries)  # (B·d·n, C, N, H)
        keys, values = (
            self._with_first(x, self._with_neighbours(x))
            for x in (heads.keys, heads.values)
        )  # (B·d·n, first + E, K, H)
        folded = masks.fold(self._mask(), self._bias(), queries.dtype)
        context, _ = dense.attend(
            (queries, keys, values), folded, heads.scale, heads.drop
        )
        return self._joined(context)

    def _padded(self, x):
        """Add places, of zeros, until all blocks are full: `(B, d·n·C, …)`."""
        if isinstance(self.padding, int) and self.padding == 0:
            return x
        shape = (ops.shape(x)[0], self.padding, *ops.shape(x)[2:])
        return ops.concatenate([x, ops.zeros(shape, dtype=x.dtype)], axis=1)

    def _blocked(self, x):
        """Turn `(B, T, …)` into rows of blocks, `(B·d·n, C, …)`."""
        return self._rows(self._in_blocks(self._padded(x)))

    def _in_blocks(self, x):
        """Turn `(B, d·n·C, …)` into `(B·d, n, C, …)`."""
        batch, _, *rest = ops.shape(x)
        axes = range(4, 4 + len(rest))
        if self.strands > 1:
            x = ops.reshape(x, (batch, self.blocks, self.block, self.strands, *rest))
            x = ops.transpose(x, (0, 3, 1, 2, *axes))  # (B, d, n, C, …)
        return ops.reshape(x, (batch * self.strands, self.blocks, self.block, *rest))

    def _rows(self, x):
        """Turn `(B·d, n, C, …)` into `(B·d·n, C, …)`."""
        rows, blocks, *rest = ops.shape(x)
        return ops.reshape(x, (rows * blocks, *rest))

    def _joined(self, x):
        """Turn rows of blocks back into `(B, T, …)`."""
        rest = ops.shape(x)[2:]
        shape = (self.batch, self.strands, self.blocks, self.block, *rest)
        x = ops.reshape(x, shape)
        if self.strands > 1:
            axes = range(4, 4 + len(rest))
            x = ops.transpose(x, (0, 2, 3, 1, *axes))  # (B, n, C, d, …)
        shape = (self.batch, self.length + self.padding, *rest)
        return ops.reshape(x, shape)[:, : self.length]

    def _with_neighbours(self, x):
        """Turn `(B, T, …)` into rows of blocks and what they reach, `(B·d·n, E, …)`."""
        x = self._in_blocks(self._padded(x))  # (B·d, n, C, …)
        before, after = self.reach
        parts = [x]
        if before:
            edge = ops.zeros_like(x[:, :1, :before])
            parts.insert(
                0, ops.concatenate([edge, x[:, :-1, self.block - before :]], axis=1)
            )
        if after:
            edge = ops.zeros_like(x[:, :1, :after])
            parts.append(ops.concatenate([x[:, 1:, :after], edge], axis=1))
        return self._rows(ops.concatenate(parts, axis=2) if before else x)

    def _with_first(self, x, rows):
        """Put the first keys of each text, from `(B, T, …)`, before those of blocks."""
        if not self.first:
            return rows
        first = self._in_each_block(x[:, : self.first])  # (B·d·n, first, …)
        return ops.concatenate([first, rows], axis=1)

    def _in_each_block(self, x):
        """Turn `(B, …)` into as many rows as there are blocks, `(B·d·n, …)`."""
        batch, *rest = ops.shape(x)
        x = ops.broadcast_to(x[:, None], (batch, self.strands * self.blocks, *rest))
        return self._rows(x)

    def _places(self):
        """Return the places of a block and of its keys on a strand, from its start."""
        before, after = self.reach
        return np.arange(self.block), np.arange(-before, self.block + after)

    def _mask(self):
        """Return who sees whom in each block, bool `(B·d·n, 1, C, first + E)`."""
        queries, keys = self._places()
        distance = queries[:, None] - keys[None, :]  # (C, E)
        low = 0 if self.heads.causal else -self.window
        band = ops.convert_to_tensor((distance >= low) & (distance <= self.window))
        real = self.heads.padding_mask
        if real is None:
            real = ops.ones((self.batch, self.length), dtype="bool")
        real = ops.cast(real, "bool")
        near = real
        if self.first:  # They have columns of their own.
            near = ops.logical_and(
                real, ops.arange(self.length, dtype="int32") >= self.first
            )
        near = self._with_neighbours(near)  # (B·d·n, E)
        mask = ops.logical_and(band, near[:, None, :])  # (B·d·n, C, E)
        if self.first:
            rows = self._in_each_block(real[:, None, : self.first])
            if self.heads.causal:
                places = ops.arange(self.length + self.padding, dtype="int32")
                earlier = places[:, None] >= ops.arange(self.first, dtype="int32")
                earlier = ops.repeat(earlier[None], self.batch, axis=0)
                earlier = self._rows(self._in_blocks(earlier))  # (B·d·n, C, first)
                rows = ops.logical_and(rows, earlier)
            rows = ops.broadcast_to(
                rows, (ops.shape(mask)[0], self.block, self.first)
            )  # (B·d·n, C, first)
            mask = ops.concatenate([rows, mask], axis=-1)
        return mask[:, None]

    def _bias(self):
        """Return what positions add to the scores, `(1 | B·d·n, N, C, first + E)`."""
        if self.heads.bias is None:
            return None
        places = [
            ops.convert_to_tensor((places * self.strands).astype("int32"))
            for places in self._places()
        ]
        near = self.heads.bias(*places)  # (1, N, C, E), the same in every block
        if near is None or not self.first:
            return near
        places = ops.arange(self.length + self.padding, dtype="int32")
        far = self.heads.bias(places, ops.arange(self.first, dtype="int32"))
        far = ops.transpose(far, (0, 2, 1, 3))  # (1, d·n·C, N, first)
        far = ops.transpose(self._rows(self._in_blocks(far)), (0, 2, 1, 3))
        far = ops.repeat(far[None], self.batch, axis=0)  # (B, d·n, N, C, first)
        far = self._rows(far)  # (B·d·n, N, C, first)
        near = ops.broadcast_to(near, (ops.shape(far)[0], *ops.shape(near)[1:]))
        return ops.concatenate([far, near], axis=-1)
