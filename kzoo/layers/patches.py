"""From an image to one vector for each of its square patches."""

import keras
from keras import ops

from kzoo.layers.projection import Projection


@keras.saving.register_keras_serializable(package="kzoo")
class PatchEmbedding(keras.layers.Layer):
    """Cuts images into square patches and maps each of them linearly.

    It is a convolution whose steps are as wide as its window, written as a reshape and
    one matrix product, so that the numbers are the same on every backend. Patches are
    in rows from the top left. It knows neither positions nor a class token.

    Args:
        patch_size: int. p, the side of a patch in pixels.
        hidden_dim: int. D, the width of the vectors.
        use_bias: bool. Whether a bias is added.
        num_channels: int. C, the colours of a pixel.

    Call arguments:
        pixels: float `(B, height, width, C)`, channels last and normalised; both sides
            multiples of `patch_size`.
        training: bool. Whether the dropout of an update of low rank acts.

    Returns:
        Float `(B, P, D)` in the compute dtype, P = height · width / p².

    Raises:
        ValueError: if a size is below 1, or the pixels have other channels, sides that
            patches do not fill, or are integers.

    Reference:
        - [Dosovitskiy et al., 2021](https://arxiv.org/abs/2010.11929), section 3.1
    """

    def __init__(self, patch_size, hidden_dim, use_bias=True, num_channels=3, **kwargs):
        super().__init__(**kwargs)
        sizes = {
            "patch_size": patch_size,
            "hidden_dim": hidden_dim,
            "num_channels": num_channels,
        }
        for name, size in sizes.items():
            if isinstance(size, bool) or not isinstance(size, int) or size < 1:
                raise ValueError(
                    f"`{name}` must be an int of at least 1. Received: {name}={size!r}"
                )
        self.patch_size = patch_size
        self.hidden_dim = hidden_dim
        self.use_bias = use_bias
        self.num_channels = num_channels
        self.projection = Projection(
            hidden_dim, use_bias=use_bias, name="projection", dtype=self.dtype_policy
        )

    def build(self, pixels_shape):
        self._check(pixels_shape)
        self.projection.build((None, None, self.patch_size**2 * self.num_channels))

    def call(self, pixels, training=None):
        dtype = keras.backend.standardize_dtype(pixels.dtype)
        if "float" not in dtype:
            raise ValueError(
                "`pixels` are floats that are normalised, not the numbers of a file. "
                f"Received: pixels of dtype {dtype}"
            )
        self._check(pixels.shape)
        size = self.patch_size
        _, height, width, _ = ops.shape(pixels)
        rows, columns = height // size, width // size
        patches = ops.cast(pixels, self.compute_dtype)
        patches = ops.reshape(
            patches, (-1, rows, size, columns, size, self.num_channels)
        )
        patches = ops.transpose(patches, (0, 1, 3, 2, 4, 5))
        patches = ops.reshape(
            patches, (-1, rows * columns, size * size * self.num_channels)
        )  # (B, P, p · p · C)
        return self.projection.call(patches, training)  # (B, P, D)

    def _check(self, shape):
        """Refuse pixels that are no images of such patches; `None` may be anything."""
        shape, size = tuple(shape), self.patch_size
        if len(shape) != 4 or shape[3] != self.num_channels:
            raise ValueError(
                f"`pixels` have the shape (B, height, width, {self.num_channels}), the "
                f"channels last. Received: pixels of shape {shape}"
            )
        if any(side is not None and (side % size or side < 1) for side in shape[1:3]):
            raise ValueError(
                f"The sides of an image must be multiples of `patch_size`, {size}. "
                f"Received: pixels of shape {shape}"
            )

    def compute_output_spec(self, pixels, training=None):
        return keras.KerasTensor(
            self.compute_output_shape(pixels.shape), dtype=self.compute_dtype
        )

    def compute_output_shape(self, pixels_shape):
        self._check(pixels_shape)
        batch, height, width, _ = pixels_shape
        number = None
        if height is not None and width is not None:
            number = (height // self.patch_size) * (width // self.patch_size)
        return (batch, number, self.hidden_dim)

    def get_config(self):
        return {
            **super().get_config(),
            "patch_size": self.patch_size,
            "hidden_dim": self.hidden_dim,
            "use_bias": self.use_bias,
            "num_channels": self.num_channels,
        }
