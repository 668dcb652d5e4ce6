"""Blocks that see their neighbours, the ends of the text and some blocks at random."""

import hashlib
import math
import re

import keras
import numpy as np
from keras import ops

from kzoo.layers import masks
from kzoo.layers.dropout import mix
from kzoo.layers.kernels import dense
from kzoo.layers.kernels.kernel import Kernel, at_least, one_text


@keras.saving.register_keras_serializable(package="kzoo")
class BigBirdKernel(Kernel):
    """Lets blocks of tokens see blocks: near ones, both ends, and some at random.

    A block sees itself and the two beside it, the first block, the last one, and
    `num_random` others; the first and the last block see all. Which others follows from
    `kernel_seed` and the number of the layer, by arithmetic that is the same on every
    backend: the blocks that are left are cut into as many stretches, and one is drawn
    of each. Texts of at most 5 + 2 · `num_random` blocks see all of themselves.

    Args:
        block_size: int, at least 1. Tokens of a block.
        num_random: int, at least 0. Blocks that each sees besides.
        kernel_seed: int, at least 0; or `None`: the first block is seen in place of
            each of the others, as transformers does outside training.

    Raises:
        ValueError: if an argument is out of range, or keys are of another text than
            queries.

    Reference:
        - [Zaheer et al., 2020](https://arxiv.org/abs/2007.14062), section 2
    """

    for_decoders = False

    def __init__(self, block_size=64, num_random=3, kernel_seed=0, **kwargs):
        super().__init__(**kwargs)
        at_least("block_size", block_size, 1)
        at_least("num_random", num_random, 0)
        if kernel_seed is not None:
            at_least("kernel_seed", kernel_seed, 0)
        self.block_size = block_size
        self.num_random = num_random
        self.kernel_seed = kernel_seed
        self.key = 0

    def build(self, hidden_shape, heads_shape):
        layers = re.findall(r"block_(\d+)", self.path)
        text = f"{self.kernel_seed}:{layers[-1] if layers else 0}"
        digest = hashlib.blake2b(text.encode(), digest_size=4).digest()
        self.key = int.from_bytes(digest, "big", signed=True)

    @property
    def dense_length(self):
        """Tokens of the longest text that sees all of itself."""
        return (5 + 2 * self.num_random) * self.block_size

    def is_dense(self, length):
        """Whether a text of so many tokens sees all of itself."""
        return length <= (5 + 2 * self.num_random) * self.block_size

    def attend(self, heads):
        return self._attend(heads)[0]

    def dense_weights(self, heads):
        """See `Kernel`. What is seen several times over has the sum of its weights."""
        length = ops.shape(heads.keys)[1]
        places = ops.arange(length, dtype="int32")
        bias = heads.bias and heads.bias(places, places)
        if not self.is_dense(length) and self.kernel_seed is None:
            block = places // self.block_size
            last = (length - 1) // self.block_size
            inner = ops.logical_and(block > 0, block < last)  # of queries, (T,)
            again = ops.logical_and(inner[:, None], block[None] == 0)  # (T, T)
            again = ops.where(again, math.log(1 + self.num_random), 0.0)
            again = ops.cast(again, heads.queries.dtype)[None, None]
            bias = again if bias is None else bias + again
        mask = masks.conjunction(
            heads.mask(length, length), self.sees(places, places)
        )  # (B|1, 1, T, T)
        return _dense(heads, heads.queries, mask, bias, return_weights=True)[1]

    def _attend(self, heads):
        one_text(heads)
        length = ops.shape(heads.queries)[1]
        if heads.causal or not isinstance(length, int):
            raise ValueError(
                "BigBird's blocks see what comes after them, and it knows how long its "
                f"texts are. Received: causal={heads.causal}, queries of shape "
                f"{tuple(heads.queries.shape)}"
            )
        mask = heads.mask(length, length)
        if self.is_dense(length):
            places = ops.arange(length, dtype="int32")
            bias = heads.bias and heads.bias(places, places)
            return _dense(heads, heads.queries, mask, bias)
        blocks = _Blocks(heads, self.block_size, length)
        inner = blocks.inner(self.drawn(blocks.number))
        ends = blocks.ends(mask)  # (B, 2C, N, H)
        first, last = ops.split(ends, 2, axis=1)
        context = ops.concatenate([first, inner, last], axis=1)  # (B, n·C, N, H)
        return context[:, :length], None

    def drawn(self, blocks):
        """Return which blocks each but the first and last draws.

        Args:
            blocks: int. n, the blocks of a text that does not see all of itself.

        Returns:
            Int `(n - 2, num_random)`.
        """
        r, left = self.num_random, blocks - 5  # A block, three beside it, both ends.
        inner = ops.arange(1, blocks - 1, dtype="int32")[:, None]  # (n - 2, 1)
        if self.kernel_seed is None or not r:
            return ops.zeros((blocks - 2, r), dtype="int32")
        borders = np.array([k * left // r for k in range(r + 1)], "int32")
        low, width = (
            ops.convert_to_tensor(x) for x in (borders[:-1], np.diff(borders))
        )
        key = ops.convert_to_tensor(np.array(self.key, "int32"))
        number = mix(mix(inner * r + ops.arange(r, dtype="int32")) ^ key)
        number = ops.bitwise_and(number, (1 << 30) - 1)  # Without its sign.
        place = 1 + low + number % width  # (n - 2, r), of those that are left
        beside = ops.clip(inner - 1, 1, blocks - 4)
        return ops.where(place >= beside, place + 3, place)

    def sees(self, query_positions, key_positions):
        length = key_positions.shape[0]
        if self.is_dense(length):
            return None
        number = -(-length // self.block_size)
        queries, keys = (
            positions // self.block_size
            for positions in (query_positions[:, None], key_positions[None, :])
        )
        mask = ops.abs(queries - keys) <= 1  # (T, S)
        for blocks in (queries, keys):
            for end in (0, number - 1):
                mask = ops.logical_or(mask, blocks == end)
        if self.kernel_seed is not None and self.num_random:
            drawn = self.drawn(number)  # (n - 2, r)
            row = ops.clip(queries[:, 0] - 1, 0, number - 3)
            mine = ops.take(drawn, row, axis=0)  # (T, r)
            far = ops.any(mine[:, None, :] == keys[..., None], axis=-1)  # (T, S)
            mask = ops.logical_or(mask, far)
        return mask[None, None]

    def get_config(self):
        return {
            **super().get_config(),
            "block_size": self.block_size,
            "num_random": self.num_random,
            "kernel_seed": self.kernel_seed,
        }


def _dense(heads, queries, mask, bias=None, return_weights=False):
    folded = masks.fold(mask, bias, queries.dtype)
    tensors = queries, heads.keys, heads.values
    drop = None if return_weights else heads.drop
    return dense.attend(tensors, folded, heads.scale, drop, return_weights)


class _Blocks:
    """The layout: n blocks of C tokens; what one sees is laid side by side."""

    def __init__(self, heads, size, length):
        self.heads = heads
        self.size = size
        self.length = length
        self.number = -(-length // size)
        self.batch = ops.shape(heads.queries)[0]

    def _blocked(self, x):
        """Turn `(B, T, …)` into `(B, n, C, …)`, the last block filled with zeros."""
        missing = self.number * self.size - self.length
        rest = ops.shape(x)[2:]
        if missing:
            zeros = ops.zeros((ops.shape(x)[0], missing, *rest), dtype=x.dtype)
            x = ops.concatenate([x, zeros], axis=1)
        return ops.reshape(x, (-1, self.number, self.size, *rest))

    def _rows(self, x):
        """Turn `(B, n - 2, …)` into rows of a batch, `(B·(n - 2), …)`."""
        return ops.reshape(x, (-1, *ops.shape(x)[2:]))

    def _seen(self, x, drawn, twice=True):
        """Lay side by side what the inner blocks see: `(B·(n - 2), E, …)`.

        Args:
            x: `(B, n, C, …)`.
            drawn: int `(n - 2, r)`.
            twice: bool. Whether the first and last block stand there again as the
                neighbours that they are to some; else these are zeros.
        """
        inner = self.number - 2
        before, after = x[:, :-2], x[:, 2:]
        if not twice:
            nothing = ops.zeros_like(x[:, :1])
            before = ops.concatenate([nothing, before[:, 1:]], axis=1)
            after = ops.concatenate([after[:, :-1], nothing], axis=1)
        first, last = (ops.repeat(end, inner, axis=1) for end in (x[:, :1], x[:, -1:]))
        parts = [first, before, x[:, 1:-1], after, last]
        if drawn.shape[1]:
            rest = ops.shape(x)[3:]
            far = ops.take(x, ops.reshape(drawn, (-1,)), axis=1)
            shape = (-1, inner, drawn.shape[1] * self.size, *rest)
            parts.append(ops.reshape(far, shape))  # (B, n - 2, r·C, …)
        return self._rows(ops.concatenate(parts, axis=2))

    def inner(self, drawn):
        """Return the context of all blocks but the ends, `(B, (n - 2)·C, N, H)`."""
        heads = self.heads
        queries = self._rows(self._blocked(heads.queries)[:, 1:-1])
        keys, values = (
            self._seen(self._blocked(x), drawn) for x in (heads.keys, heads.values)
        )  # (B·(n - 2), E, K, H)
        real = heads.padding_mask
        if real is None:
            real = ops.ones((self.batch, self.length), dtype="bool")
        mask = self._seen(self._blocked(real), drawn, twice=False)  # (B·(n - 2), E)
        folded = masks.fold(masks.padding_mask(mask), self._bias(drawn), queries.dtype)
        context, _ = dense.attend(
            (queries, keys, values), folded, heads.scale, heads.drop
        )  # (B·(n - 2), C, N, H)
        shape = (self.batch, (self.number - 2) * self.size, *ops.shape(context)[2:])
        return ops.reshape(context, shape)

    def _bias(self, drawn):
        """Return what positions add to scores of inner blocks, or `None`.

        It is looked up by distance: blocks that are drawn are at any.
        """
        if self.heads.bias is None:
            return None
        longest = self.number * self.size
        table = self.heads.bias(
            ops.zeros((1,), dtype="int32"), ops.arange(-longest, longest, dtype="int32")
        )  # (1, N, 1, 2·n·C)
        if table is None:
            return None
        places = ops.arange(longest, dtype="int32")
        places = ops.reshape(places, (1, self.number, self.size))
        seen = self._seen(places, drawn)  # (n - 2, E)
        distance = seen[:, None, :] - places[0, 1:-1, :, None]  # (n - 2, C, E)
        bias = ops.take(table[0, :, 0], distance + longest, axis=1)
        bias = ops.transpose(bias, (1, 0, 2, 3))  # (n - 2, N, C, E)
        bias = ops.repeat(bias[None], self.batch, axis=0)
        return self._rows(bias)

    def ends(self, mask):
        """Return the context of the first and the last block, `(B, 2C, N, H)`."""
        queries = self._blocked(self.heads.queries)
        queries = ops.concatenate([queries[:, 0], queries[:, -1]], axis=1)
        bias = None
        if self.heads.bias is not None:
            places = ops.arange(self.number * self.size, dtype="int32")
            ends = ops.concatenate([places[: self.size], places[-self.size :]], axis=0)
            bias = self.heads.bias(ends, places[: self.length])
        return _dense(self.heads, queries, mask, bias)[0]
