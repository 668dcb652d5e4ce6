"""Top-k attention: each query looks at the keys that it scores highest."""

import functools

import keras
from keras import ops

from kzoo.layers import masks
from kzoo.layers.kernels import dense
from kzoo.layers.kernels.kernel import Kernel, at_least


@keras.saving.register_keras_serializable(package="kzoo")
class TopKKernel(Kernel):
    """Keeps the `k` largest scores of each query; softmax shares out 1 among them.

    By threshold: what is at least as large as the k-th largest score stays, so that of
    equal scores at the threshold all stay, and a query may see more than `k` keys. What
    positions add to scores counts. A query with at most `k` keys in sight sees them
    all. The threshold is a number: gradients pass through the scores that stay.

    All scores are made, so work and memory grow with the square of the length.

    Args:
        k: int, at least 1.

    Raises:
        ValueError: if `k` is below 1.

    Reference:
        - [Zhao et al., 2019](https://arxiv.org/abs/1912.11637), section 3
    """

    for_decoders = False  # A step of generation sees all keys so far.

    def __init__(self, k=64, **kwargs):
        super().__init__(**kwargs)
        at_least("k", k, 1)
        self.k = k

    def attend(self, heads):
        return self._attend(heads, heads.drop, False)[0]

    def dense_weights(self, heads):
        return self._attend(heads, None, True)[1]

    def _attend(self, heads, drop, return_weights):
        length, size = ops.shape(heads.queries)[1], ops.shape(heads.keys)[1]
        bias = None
        if heads.bias is not None:
            bias = heads.bias(*(ops.arange(n, dtype="int32") for n in (length, size)))
        folded = masks.fold(heads.mask(length, size), bias, heads.queries.dtype)
        way = functools.partial(dense.explicit, choose=self.chosen)
        return dense.attend(
            (heads.queries, heads.keys, heads.values),
            folded,
            heads.scale,
            drop,
            return_weights,
            (way, None),
        )

    def chosen(self, scores):
        """Close all but the largest of `scores`, float `(…, S)`."""
        size = ops.shape(scores)[-1]
        if isinstance(size, int) and size <= self.k:
            return scores
        largest, _ = ops.top_k(ops.stop_gradient(scores), self.k)  # (…, k)
        closed = masks.closed(scores.dtype)
        return ops.where(scores >= largest[..., -1:], scores, closed)

    def get_config(self):
        return {**super().get_config(), "k": self.k}
