"""Exact attention in tiles: the softmax goes on from one block of keys to the next.

Either way holds one tile of the scores at a time, block × block. The way back makes it
again from the queries and keys and from what the way there kept: the context and one
number per query, the logarithm of the sum of its exponentials.
"""

import keras
from keras import ops

from kzoo.layers import masks
from kzoo.layers.kernels import tiles
from kzoo.layers.kernels.kernel import Kernel, at_least

CLOSED = masks.closed("float32")


@keras.saving.register_keras_serializable(package="kzoo")
class BlockwiseKernel(Kernel):
    """Every query sees every key, without all scores being there at once.

    The context is that of dense attention. Memory grows with the length, work with its
    square. Written in plain operations, so it is there on every backend.

    Args:
        block: int, at least 1. Queries and keys of a tile.

    Raises:
        ValueError: if `block` is below 1.

    Reference:
        - [Milakov & Gimelshein, 2018](https://arxiv.org/abs/1805.02867), the softmax
        - [Rabe & Staats, 2021](https://arxiv.org/abs/2112.05682)
        - [Dao et al., 2022](https://arxiv.org/abs/2205.14135), the way back
    """

    def __init__(self, block=512, **kwargs):
        super().__init__(**kwargs)
        at_least("block", block, 1)
        self.block = block

    def attend(self, heads):
        return _Tiles(heads, self.block).context()

    def get_config(self):
        return {**super().get_config(), "block": self.block}


class _Tiles:
    """The layout: b places are a block, G query heads share each of the K of keys."""

    def __init__(self, heads, block):
        self.heads = heads
        self.batch, self.length, num_heads, _ = ops.shape(heads.queries)
        self.size, self.shared = ops.shape(heads.keys)[1:3]
        self.groups = num_heads // self.shared
        longest = max(self.length, self.size)
        self.block = -(-longest // -(-longest // block))  # As many, but equal ones.
        self.rows = -(-self.length // self.block)  # n, blocks of queries
        self.columns = -(-self.size // self.block)  # m, of keys
        self.causal = heads.causal
        self.real = self._real()
        self.hashes = None
        if heads.drop is not None:
            self.hashes = self._hashes()

    def context(self):
        heads = self.heads
        shape = self.batch, self.length, self.shared, self.groups, -1
        queries = ops.reshape(heads.queries * heads.scale, shape)
        queries = tiles.blocked(queries, self.block)  # (n, B, b, K, G, H)
        queries = ops.transpose(queries, (0, 1, 3, 4, 2, 5))  # (n, B, K, G, b, H)
        keys, values = (
            ops.transpose(tiles.blocked(x, self.block), (0, 1, 3, 2, 4))
            for x in (heads.keys, heads.values)
        )  # (m, B, K, b, H)
        read = [queries, keys, values]
        line = self._line()
        if line is not None:
            read.append(line)
        context = ops.custom_gradient(self._there_and_back)(*read)
        context = ops.transpose(context, (0, 1, 4, 2, 3, 5))  # (n, B, b, K, G, H)
        context = tiles.joined(context, self.length)
        return ops.reshape(context, ops.shape(heads.queries))

    def _real(self):
        """Return which keys are there, bool `(m, B, 1, 1, 1, b)`; `None` if all."""
        real = self.heads.padding_mask
        if real is None:
            if self.columns * self.block == self.size:
                return None
            real = ops.ones((self.batch, self.size), dtype="bool")
        real = tiles.blocked(ops.cast(real, "bool"), self.block)  # (m, B, b)
        return real[:, :, None, None, None, :]

    def _line(self):
        """Return what positions add to the scores, `(N, (n + m) · b)`, by distance.

        `None` where they add nothing.
        """
        if self.heads.bias is None:
            return None
        before, after = self.rows * self.block, self.columns * self.block
        places = ops.arange(1 - before, after + 1, dtype="int32")
        line = self.heads.bias(ops.zeros((1,), dtype="int32"), places)
        return None if line is None else ops.cast(line[0, :, 0], "float32")

    def _hashes(self):
        """Return hashes for dropout: rows `(n, B, K, G, b, 1)`, columns `(m, b)`."""
        num_heads = self.shared * self.groups
        rows, columns = self.heads.drop.hashes(
            (self.batch, num_heads, self.length), self.size
        )
        rows = ops.reshape(rows, (self.batch, self.shared, self.groups, self.length))
        rows = tiles.blocked(ops.transpose(rows, (0, 3, 1, 2)), self.block)
        rows = ops.transpose(rows, (0, 1, 3, 4, 2))[..., None]
        return rows, tiles.blocked(columns[None], self.block)[:, 0]

    def _kept(self, row, column):
        """Return the factors of dropout of a tile, or `None`."""
        if self.hashes is None:
            return None
        rows, columns = self.hashes
        return self.heads.drop.factors(rows[row], columns[column])

    def _scores(self, query, keys, line, row, column):
        """Return the scores of a tile, float32 `(B, K, G, b, b)`.

        Args:
            query: float `(B, K, G, b, H)`, a block.
            keys: float `(B, K, b, H)`, a block.
            line: empty, or a list of what `_line` made.
            row: int or int scalar, which block of queries it is.
            column: likewise of keys.
        """
        scores = self._product(query, ops.swapaxes(keys, -1, -2))
        first = column * self.block
        if line:
            start = first + self._start(row)
            bias = tiles.by_distance(line[0], start, self.block, self.block)
            shape = (self.shared, self.groups, self.block, self.block)
            scores = scores + ops.reshape(bias, shape)
        seen = None if self.real is None else self.real[column]
        if self.causal:
            places = ops.arange(self.block, dtype="int32")
            earlier = (places + row * self.block)[:, None] >= places + first
            seen = earlier if seen is None else ops.logical_and(seen, earlier)
        return scores if seen is None else ops.where(seen, scores, CLOSED)

    def _start(self, row):
        """Where a line of distances has the last query of a block and the first key."""
        return (self.rows - 1 - row) * self.block

    def _product(self, left, right):
        """Multiply `(B, K, G, b, x)` by `(B, K, x, y)`: `(B, K, G, b, y)`, float32."""
        batch, shared, groups, block, inner = ops.shape(left)
        rows = ops.reshape(left, (batch, shared, groups * block, inner))
        product = ops.matmul(ops.cast(rows, right.dtype), right)
        product = ops.reshape(product, (batch, shared, groups, block, right.shape[-1]))
        return ops.cast(product, "float32")

    def _gathered(self, left, right):
        """Multiply `(B, K, G, b, x)` by `(B, K, G, b, y)` over G and b."""
        batch, shared, groups, block, inner = ops.shape(left)
        left = ops.reshape(left, (batch, shared, groups * block, inner))
        right = ops.reshape(right, (batch, shared, groups * block, right.shape[-1]))
        left = ops.swapaxes(ops.cast(left, right.dtype), -1, -2)
        return ops.cast(ops.matmul(left, right), "float32")

    def _seen_columns(self, row):
        """How many blocks of keys a block of queries sees."""
        return ops.minimum(row + 1, self.columns) if self.causal else self.columns

    def _there_and_back(self, *read):
        """Return the context, `(n, B, K, G, b, H)`, and what makes its gradients."""
        context, total = self._there(read)
        # Without a history of its own: the way back is not to hold itself.
        kept = ops.stop_gradient(context)

        def back(*arguments, upstream=None):
            upstream = arguments[0] if upstream is None else upstream
            return self._back(read, kept, total, upstream)

        return context, back

    def _there(self, read):
        queries, keys, values, *line = read
        shape = queries.shape[1:]
        column_shape = (*shape[:-1], 1)

        def row_of(row, done):
            contexts, totals = done

            def add(column, so_far):
                most, total, context = so_far
                scores = self._scores(queries[row], keys[column], line, row, column)
                new_most = ops.maximum(most, ops.max(scores, axis=-1, keepdims=True))
                shares = ops.exp(scores - new_most)
                rescale = ops.exp(most - new_most)
                total = total * rescale + ops.sum(shares, axis=-1, keepdims=True)
                kept = self._kept(row, column)
                shares = shares if kept is None else shares * kept
                context = context * rescale + self._product(shares, values[column])
                return new_most, total, context

            most, total, context = ops.fori_loop(
                0,
                self._seen_columns(row),
                add,
                (
                    ops.full(column_shape, CLOSED, dtype="float32"),
                    ops.zeros(column_shape, dtype="float32"),
                    ops.zeros(shape, dtype="float32"),
                ),
            )
            sees = most > 0.5 * CLOSED
            context = ops.where(sees, context / total, 0.0)
            total = ops.where(sees, most + ops.log(total), 0.0)
            return (
                _put(contexts, row, ops.cast(context, queries.dtype)),
                _put(totals, row, total),
            )

        return ops.fori_loop(
            0,
            self.rows,
            row_of,
            (
                ops.zeros(queries.shape, dtype=queries.dtype),
                ops.zeros((self.rows, *column_shape), dtype="float32"),
            ),
        )

    def _back(self, read, context, total, upstream):
        queries, keys, values, *line = read
        along = ops.sum(
            ops.cast(upstream, "float32") * ops.cast(context, "float32"),
            axis=-1,
            keepdims=True,
        )  # (n, B, K, G, b, 1)

        def row_of(row, done):
            to_queries, *others = done

            def add(column, so_far):
                to_query, to_keys, to_values, *lines = so_far
                scores = self._scores(queries[row], keys[column], line, row, column)
                shares = ops.exp(scores - total[row])  # (B, K, G, b, b)
                asked = self._product(
                    upstream[row], ops.swapaxes(values[column], -1, -2)
                )
                kept = self._kept(row, column)
                if kept is not None:
                    asked = asked * kept
                scores = shares * (asked - along[row])  # their gradient
                shares = shares if kept is None else shares * kept
                if lines:
                    sums = ops.sum(scores, axis=0)
                    sums = ops.reshape(sums, (-1, self.block, self.block))
                    start = column * self.block + self._start(row)
                    lines = [tiles.add_by_distance(lines[0], start, sums)]
                more = self._gathered(scores, queries[row])
                others = self._gathered(shares, upstream[row])
                return (
                    to_query + self._product(scores, keys[column]),
                    _put(to_keys, column, to_keys[column] + more),
                    _put(to_values, column, to_values[column] + others),
                    *lines,
                )

            to_query, *others = ops.fori_loop(
                0,
                self._seen_columns(row),
                add,
                (ops.zeros(queries.shape[1:], dtype="float32"), *others),
            )
            return _put(to_queries, row, ops.cast(to_query, queries.dtype)), *others

        to_queries, to_keys, to_values, *lines = ops.fori_loop(
            0,
            self.rows,
            row_of,
            (
                ops.zeros_like(queries),
                *(ops.zeros(x.shape, "float32") for x in (keys, values)),
                *(ops.zeros_like(x) for x in line),
            ),
        )
        return (
            to_queries,
            ops.cast(to_keys, keys.dtype),
            ops.cast(to_values, values.dtype),
            *lines,
        )


def _put(blocks, index, block):
    """Return `blocks` with another block at `index`."""
    start = (index, *[0] * (len(blocks.shape) - 1))
    return ops.slice_update(blocks, start, block[None])
