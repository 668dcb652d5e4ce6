"""Linear attention: features in place of softmax."""

import keras
from keras import ops

from kzoo.layers.kernels import features
from kzoo.layers.kernels.kernel import Kernel, no_bias


@keras.saving.register_keras_serializable(package="kzoo")
class LinearKernel(Kernel):
    """Weights proportional to φ(query) · φ(key), with φ(x) = elu(x) + 1 by number.

    Not softmax: another function of queries and keys, to be trained with. Work and
    memory grow with the length. The layer's `scale` is not used, as in the paper.

    Raises:
        ValueError: when called, where positions add to scores; there are none.

    Reference:
        - [Katharopoulos et al., 2020](https://arxiv.org/abs/2006.16236)
    """

    for_decoders = False  # A step of generation goes by softmax.
    drops = False

    def attend(self, heads):
        no_bias(heads, self)
        return features.attend(heads, _positive, _of_keys)

    def dense_weights(self, heads):
        return features.weights(heads, _positive, _of_keys)


def _positive(x):
    """Return φ, float32."""
    return ops.elu(ops.cast(x, "float32")) + 1.0


def _of_keys(keys, real):
    """Return φ and its scale, as `features.attend` takes them."""
    return _positive(keys), ops.zeros((1, 1, 1, 1), dtype="float32")
