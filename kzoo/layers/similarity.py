"""How alike texts and images are, and the loss that teaches it."""

import math

import keras
from keras import ops

START = math.log(1 / 0.07)  # of the logarithm of the factor on cosines


@keras.saving.register_keras_serializable(package="kzoo")
class Similarity(keras.layers.Layer):
    """Cosines of every image and every text, times a factor that is learned.

    All of it is in float32, whatever the compute dtype of the vectors.

    Call arguments:
        image_vectors: float `(I, E)`.
        text_vectors: float `(T, E)`.

    Returns:
        Float32 `(I, T)`, the logits of each image over the texts.

    Reference:
        - [Radford et al., 2021](https://arxiv.org/abs/2103.00020), figure 3
    """

    def __init__(self, **kwargs):
        super().__init__(**{**kwargs, "dtype": "float32"})

    def build(self, image_vectors_shape=None, text_vectors_shape=None):
        self.log_scale = self.add_weight(
            shape=(), initializer=keras.initializers.Constant(START), name="log_scale"
        )

    @property
    def scale(self):
        """The factor, a float."""
        return math.exp(float(ops.convert_to_numpy(self.log_scale)))

    def call(self, image_vectors, text_vectors):
        cosines = ops.matmul(
            unit(image_vectors), ops.transpose(unit(text_vectors))
        )  # (I, T)
        return cosines * ops.exp(ops.convert_to_tensor(self.log_scale, "float32"))

    def compute_output_spec(self, image_vectors, text_vectors):
        shape = (image_vectors.shape[0], text_vectors.shape[0])
        return keras.KerasTensor(shape, dtype="float32")


def unit(vectors):
    """Vectors of length 1 in the same directions, float32 `(B, E)`."""
    vectors = ops.cast(vectors, "float32")
    return vectors / ops.sqrt(ops.sum(ops.square(vectors), axis=-1, keepdims=True))


def contrastive_loss(logits):
    """What a batch of pairs costs: each image is to find its text, each text its image.

    Args:
        logits: float `(B, B)`. Of images over texts; those of a pair are on the
            diagonal.

    Returns:
        Float scalar: the mean of the cross-entropies of rows and of columns.

    Reference:
        - [Radford et al., 2021](https://arxiv.org/abs/2103.00020), figure 3
    """
    own = ops.diagonal(logits)  # (B,)
    rows = ops.mean(ops.logsumexp(logits, axis=1) - own)
    columns = ops.mean(ops.logsumexp(logits, axis=0) - own)
    return (rows + columns) / 2
