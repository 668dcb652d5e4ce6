"""A sliding window and some tokens that see all and are seen by all."""

import keras
from keras import ops

from kzoo.layers import masks
from kzoo.layers.kernels import bands, dense
from kzoo.layers.kernels.kernel import Kernel, at_least, one_text
from kzoo.layers.positions import rotate
from kzoo.layers.projection import Projection


@keras.saving.register_keras_serializable(package="kzoo")
class LongformerKernel(Kernel):
    """Lets each query see its window and the first tokens, and those see everything.

    Args:
        window: int, at least 1. How many steps before a token, and after it where
            attention is not causal, it sees.
        num_global: int, at least 0. So many tokens at the beginning of a text are
            global; 1 is the one that classifiers read.
        dilation: int, at least 1. The places from one step of the window to the next.
        own_projections: bool. Whether global tokens look at others by queries, keys
            and values of their own, as in the paper. They have weights even where no
            token is global, as checkpoints do.

    Raises:
        ValueError: if an argument is out of range, or keys are of another text than
            queries.

    Reference:
        - [Beltagy et al., 2020](https://arxiv.org/abs/2004.05150), section 3.1
    """

    def __init__(
        self, window=256, num_global=1, dilation=1, own_projections=False, **kwargs
    ):
        super().__init__(**kwargs)
        at_least("window", window, 1)
        at_least("num_global", num_global, 0)
        at_least("dilation", dilation, 1)
        self.window = window
        self.num_global = num_global
        self.dilation = dilation
        self.own_projections = own_projections
        self.for_decoders = not own_projections
        self.projections = []

    def build(self, hidden_shape, heads_shape):
        if not self.own_projections:
            return
        self.projections = [
            Projection(heads_shape, dtype=self.dtype_policy, name=f"global_{name}")
            for name in ("query", "key", "value")
        ]
        for projection in self.projections:
            projection.build(hidden_shape)

    def attend(self, heads):
        one_text(heads)
        context = bands.attend(heads, self.window, self.dilation, self.num_global)
        if not self.num_global:
            return context
        first, _ = dense.attend(*self._global(heads), drop=heads.drop)
        return ops.concatenate([first, context[:, self.num_global :]], axis=1)

    def dense_weights(self, heads):
        weights = super().dense_weights(heads)
        if not self.num_global:
            return weights
        _, first = dense.attend(*self._global(heads), return_weights=True)
        return ops.concatenate([first, weights[:, :, self.num_global :]], axis=2)

    def _global(self, heads):
        """Return what the global tokens attend with: tensors, mask and bias, scale."""
        tensors = heads.queries[:, : self.num_global], heads.keys, heads.values
        if self.own_projections:
            read = heads.hidden[:, : self.num_global], heads.hidden, heads.hidden
            queries, keys, values = (
                projection.call(x)
                for projection, x in zip(self.projections, read, strict=True)
            )
            if heads.rotary is not None:
                queries = rotate(queries, [x[: self.num_global] for x in heads.rotary])
                keys = rotate(keys, heads.rotary)
            tensors = queries, keys, values  # (B, g, N, H), 2 × (B, T, N, H)
        sizes = [ops.shape(x)[1] for x in tensors[:2]]
        mask = heads.mask(*sizes)
        bias = None
        if heads.bias is not None:
            bias = heads.bias(*(ops.arange(size, dtype="int32") for size in sizes))
        folded = masks.fold(mask, bias, heads.queries.dtype)
        return tensors, folded, heads.scale

    def sees(self, query_positions, key_positions):
        near = bands.sees(
            query_positions,
            key_positions,
            self.window,
            self.dilation,
            self.num_global,
        )
        sees_all = query_positions[:, None] < self.num_global  # (T, 1)
        return ops.logical_or(near, sees_all)

    def get_config(self):
        return {
            **super().get_config(),
            "window": self.window,
            "num_global": self.num_global,
            "dilation": self.dilation,
            "own_projections": self.own_projections,
        }
