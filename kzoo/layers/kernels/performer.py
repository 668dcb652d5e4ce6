"""Performer: softmax attention, estimated by positive random features."""

import keras
import numpy as np
from keras import ops

from kzoo.layers.kernels import features
from kzoo.layers.kernels.kernel import Kernel, at_least, no_bias

LEAST = -1e30  # below any logarithm of a feature


@keras.saving.register_keras_serializable(package="kzoo")
class PerformerKernel(Kernel):
    """Estimates softmax attention in work and memory that grow with the length.

    The weight of a key is the mean, over random directions w, of
    exp(w · q - |q|² / 2) · exp(w · k - |k|² / 2), whose expectation is exp(q · k). The
    directions of a head's width are orthogonal to each other, as long as normal ones.

    They follow from `kernel_seed` alone, which a saved model names: the same ones on
    every backend, in every layer and head, in training and after.

    Args:
        num_features: int, at least 1. M, how many directions. More come closer.
        kernel_seed: int, at least 0.

    Raises:
        ValueError: if an argument is out of range; and, when called, where positions
            add to scores; there are none.

    Reference:
        - [Choromanski et al., 2021](https://arxiv.org/abs/2009.14794), lemma 1, FAVOR+
    """

    for_decoders = False  # A step of generation goes by softmax.
    drops = False

    def __init__(self, num_features=256, kernel_seed=0, **kwargs):
        super().__init__(**kwargs)
        at_least("num_features", num_features, 1)
        at_least("kernel_seed", kernel_seed, 0)
        self.num_features = num_features
        self.kernel_seed = kernel_seed

    def attend(self, heads):
        no_bias(heads, self)
        return features.attend(heads, *self._maps(heads), again=True)

    def dense_weights(self, heads):
        return features.weights(heads, *self._maps(heads))

    def _maps(self, heads):
        """Return functions from queries and keys to features, for `features.attend`."""
        drawn = directions(self.num_features, heads.queries.shape[-1], self.kernel_seed)
        drawn = drawn.T.astype("float32")  # (H, M)
        root = abs(heads.scale) ** 0.5

        # The largest of all features of a query, or of some keys, is 1, so that none
        # overflows.
        def of_queries(queries):
            queries = ops.cast(queries, "float32") * (heads.scale / root)
            queries = ops.matmul(queries, drawn)  # (B, t, N, M)
            most = ops.max(queries, axis=-1, keepdims=True)
            return ops.exp(queries - ops.stop_gradient(most))

        def of_keys(keys, real):
            keys = ops.cast(keys, "float32") * root
            half = ops.sum(keys * keys, axis=-1, keepdims=True) / 2.0
            keys = ops.matmul(keys, drawn) - half  # (B, s, K, M)
            seen = keys if real is None else ops.where(real, keys, LEAST)
            most = ops.stop_gradient(ops.max(seen, axis=(1, 3), keepdims=True))
            seen = keys if real is None else ops.where(real, keys, most)
            return ops.exp(seen - most), most  # (B, 1, K, 1)

        return of_queries, of_keys

    def get_config(self):
        return {
            **super().get_config(),
            "num_features": self.num_features,
            "kernel_seed": self.kernel_seed,
        }


def directions(number, width, seed):
    """Draw directions, each `width` of them orthogonal, float64 `(number, width)`.

    Args:
        number: int.
        width: int.
        seed: int.
    """
    rng = np.random.Generator(np.random.Philox(seed))
    blocks = []
    for _ in range(-(-number // width)):
        drawn = rng.standard_normal((width, width))
        rotation, upper = np.linalg.qr(drawn)
        # LAPACKs differ in signs; with a positive diagonal there is one answer.
        rotation = rotation * np.sign(np.diag(upper))
        lengths = np.linalg.norm(rng.standard_normal((width, width)), axis=1)
        blocks.append(rotation.T * lengths[:, None])
    return np.concatenate(blocks)[:number]
