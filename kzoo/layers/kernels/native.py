"""The backend's own fused attention, where it has one."""

import keras
from keras import ops

from kzoo.layers.kernels.kernel import Kernel, no_bias
from kzoo.layers.native import operations

WITHOUT = (
    "This backend has no fused attention of its own; choose the kernel 'blockwise', "
    "which gives the same numbers on every backend. Received: kernel='native'"
)


@keras.saving.register_keras_serializable(package="kzoo")
class NativeKernel(Kernel):
    """Every query sees every key, by the fused kernel of PyTorch or JAX.

    The context is that of dense attention. Whether all scores are there at once is up
    to the backend: PyTorch's is a flash attention on CPUs and GPUs; JAX has one on GPUs
    for 16-bit numbers, and makes all scores elsewhere.

    Raises:
        ValueError: if the backend has none; and, when called, where positions add to
            scores, which these kernels would read as T × S numbers. They drop weights
            by random numbers of their own, which kzoo leaves alone.
    """

    drops = False

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        if operations.native_attention is None:
            raise ValueError(WITHOUT)

    def attend(self, heads):
        no_bias(heads, self)
        real = heads.padding_mask
        context = operations.native_attention(
            heads.queries, heads.keys, heads.values, real, heads.causal, heads.scale
        )
        if real is None:
            return context
        sees = ops.cast(real, "int32")
        if heads.causal:  # The keys up to a query's own place; there may be fewer keys.
            length = ops.shape(heads.queries)[1]
            sees = ops.cumsum(sees, axis=1)
            last = ops.minimum(ops.arange(length), ops.shape(sees)[1] - 1)
            sees = ops.take(sees, last, axis=1)  # (B, T)
        else:
            sees = ops.sum(sees, axis=1, keepdims=True)  # (B, 1)
        sees = ops.cast(sees > 0, context.dtype)[:, :, None, None]
        return operations.zero_where_blind(context, sees)
