"""The encoder stack of images: every patch sees every other."""

import keras

from kzoo.layers.blocks import EncoderBlock
from kzoo.layers.image_embedding import ImageEmbedding
from kzoo.layers.positions import LearnedPositions
from kzoo.layers.stack import TransformerStack

# Arguments of a stack that an image has no choice of.
GIVEN = ("vocabulary_size", "position", "norm_placement")


@keras.saving.register_keras_serializable(package="kzoo")
class ImageEncoder(TransformerStack):
    """A vision transformer: turns an image into one vector for each of its patches.

    The blocks are those of `TransformerEncoder`, with their norms before the
    sub-layers. The first vector, of the class token, stands for the whole image.

    Args:
        image_size: int. The height and width of the images, a multiple of `patch_size`.
        patch_size: int. p, the side of a patch in pixels.
        num_layers: int. Number of blocks.
        num_heads: int. N, attention heads per block.
        hidden_dim: int. D, the width of the vectors.
        intermediate_dim: int. The width inside the feed-forward.
        dropout: float. Share dropped in training, as in `TransformerEncoder`.
        feed_forward: as in `TransformerEncoder`.
        norm: as in `TransformerEncoder`.
        attention: dict of further arguments of `MultiHeadAttention`, or `None`.
        embedding: dict of further arguments of `ImageEmbedding`, or `None`.

    Call arguments:
        pixels: float `(B, image_size, image_size, C)`, channels last and normalised.
        return_hidden_states: bool. Whether to return what each layer made.
        return_attention_weights: bool. Whether to return who looked at whom.
        training: bool. Whether dropout acts.

    Returns:
        Float `(B, P + 1, D)` in the compute dtype, P = (image_size / p)², the class
        token first, then the rows of patches from the top left. If anything more is
        asked, a pair, as `TransformerEncoder` has it.

    Raises:
        ValueError: if an argument names no part, the heads do not divide, or the pixels
            are no such images.

    Reference:
        - [Dosovitskiy et al., 2021](https://arxiv.org/abs/2010.11929)
    """

    def __init__(
        self,
        image_size,
        patch_size,
        num_layers,
        num_heads,
        hidden_dim,
        intermediate_dim,
        dropout=0.0,
        feed_forward="gelu",
        norm="layer_norm",
        attention=None,
        embedding=None,
        **kwargs,
    ):
        self.image_size, self.patch_size = image_size, patch_size
        probe = ImageEmbedding(image_size, patch_size, hidden_dim)
        super().__init__(
            None,
            num_layers,
            num_heads,
            hidden_dim,
            intermediate_dim,
            dropout=dropout,
            position=LearnedPositions(hidden_dim, probe.places, name="position"),
            feed_forward=feed_forward,
            norm=norm,
            attention=attention,
            embedding=embedding,
            **kwargs,
        )

    def _embedding(self, vocabulary_size, hidden_dim, **options):
        return ImageEmbedding(self.image_size, self.patch_size, hidden_dim, **options)

    def _block(self, attention, feed_forward, norm, norm_placement, dropout, **kwargs):
        return EncoderBlock(
            attention, feed_forward, norm, norm_placement, dropout, **kwargs
        )

    def build(self, pixels_shape):
        self._build((pixels_shape[0], self.embedding.places))

    def call(
        self,
        pixels,
        return_hidden_states=False,
        return_attention_weights=False,
        training=None,
    ):
        positions = self._positions(self.embedding.places)  # (P + 1,)
        hidden = self.embedding.call(
            pixels,
            position_embedding=self.position.embedding(positions),
            training=training,
        )  # (B, P + 1, D)
        if self.prompt is not None:  # Its places are those before the first.
            hidden = self.prompt.call(hidden)
        answer = self._run(
            hidden, return_hidden_states, return_attention_weights, training=training
        )
        return answer if self.prompt is None else self.prompt.after(answer)

    def compute_output_spec(self, pixels, *args, **kwargs):
        if kwargs.get("return_hidden_states") or kwargs.get("return_attention_weights"):
            return super().compute_output_spec(pixels, *args, **kwargs)
        shape = (pixels.shape[0], self.embedding.places, self.hidden_dim)
        return keras.KerasTensor(shape, dtype=self.compute_dtype)

    def get_config(self):
        config = {
            name: value
            for name, value in super().get_config().items()
            if name not in GIVEN
        }
        sizes = {"image_size": self.image_size, "patch_size": self.patch_size}
        return {**config, **sizes}
