"""From an image to the vectors that a stack reads: of its patches and of the whole."""

import keras
from keras import ops

from kzoo.layers.dropout import Dropout
from kzoo.layers.normalization import norm_part
from kzoo.layers.parts import config_of, copy_of
from kzoo.layers.patches import PatchEmbedding
from kzoo.layers.seeding import normal


@keras.saving.register_keras_serializable(package="kzoo")
class ImageEmbedding(keras.layers.Layer):
    """Puts a learned vector, the class token, before an image's patches.

    Then it adds the positions, normalises the sum and drops, as `TokenEmbedding` does
    with text.

    Args:
        image_size: int. The height and width of the images, a multiple of `patch_size`.
        patch_size: int. p, the side of a patch in pixels.
        hidden_dim: int. D.
        num_channels: int. C, the colours of a pixel.
        use_bias: bool. Whether the projection of patches adds a bias.
        norm: `None`, a key of `kzoo.layers.NORMS`, or a layer. Applied to the sum.
        dropout: float. Share of the elements dropped in training.

    Call arguments:
        pixels: float `(B, image_size, image_size, C)`.
        position_embedding: float `(P + 1, D)` or `None`.
        training: bool. Whether dropout acts.

    Returns:
        Float `(B, P + 1, D)` in the compute dtype; the class token is the first.

    Raises:
        ValueError: if patches do not fill the image, or the pixels are no such images.

    Reference:
        - [Dosovitskiy et al., 2021](https://arxiv.org/abs/2010.11929), section 3.1
        - [Radford et al., 2021](https://arxiv.org/abs/2103.00020), the norm
    """

    def __init__(
        self,
        image_size,
        patch_size,
        hidden_dim,
        num_channels=3,
        use_bias=True,
        norm=None,
        dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        policy = self.dtype_policy
        self.patches = PatchEmbedding(
            *(patch_size, hidden_dim, use_bias, num_channels),
            name="patches",
            dtype=policy,
        )
        whole = isinstance(image_size, int) and not isinstance(image_size, bool)
        if not whole or image_size < 1 or image_size % patch_size:
            raise ValueError(
                "`image_size` must be a multiple of `patch_size`, so that patches fill "
                f"the image. Received: image_size={image_size!r}, "
                f"patch_size={patch_size}"
            )
        self.image_size = image_size
        self.hidden_dim = self.embedding_dim = hidden_dim
        self.places = (image_size // patch_size) ** 2 + 1
        self._norm_argument = config_of(norm)
        self.norm = None
        if norm is not None:
            self.norm = copy_of(norm_part(norm), "norm", policy)
        self.dropout = Dropout(dropout, name="dropout", dtype=policy)

    def build(self, input_shape=None):
        channels, size = self.patches.num_channels, self.image_size
        self.patches.build((None, size, size, channels))
        self.class_token = self.add_weight(
            shape=(self.hidden_dim,),
            initializer=normal(self.path, "class_token", self.hidden_dim**-0.5),
            name="class_token",
        )
        shape = (None, self.places, self.hidden_dim)
        if self.norm is not None:
            self.norm.build(shape)
        self.dropout.build(shape)

    def call(self, pixels, position_embedding=None, training=None):
        sides, size = tuple(pixels.shape[1:3]), self.image_size
        if any(side not in (None, size) for side in sides):
            raise ValueError(
                f"This encoder reads images of {size} × {size} pixels. "
                f"Received: pixels of shape {tuple(pixels.shape)}"
            )
        hidden = self.patches.call(pixels, training)  # (B, P, D)
        whole = ops.convert_to_tensor(self.class_token, self.compute_dtype)
        whole = ops.broadcast_to(whole, (ops.shape(hidden)[0], 1, self.hidden_dim))
        hidden = ops.concatenate([whole, hidden], axis=1)  # (B, P + 1, D)
        if position_embedding is not None:
            hidden = hidden + position_embedding
        if self.norm is not None:
            hidden = self.norm.call(hidden)
        return self.dropout.call(hidden, training=training)

    def compute_output_spec(self, pixels, *args, **kwargs):
        shape = (pixels.shape[0], self.places, self.hidden_dim)
        return keras.KerasTensor(shape, dtype=self.compute_dtype)

    def get_config(self):
        return {
            **super().get_config(),
            "image_size": self.image_size,
            "patch_size": self.patches.patch_size,
            "hidden_dim": self.hidden_dim,
            "num_channels": self.patches.num_channels,
            "use_bias": self.patches.use_bias,
            "norm": self._norm_argument,
            "dropout": self.dropout.rate,
        }
