"""One stack for texts with their pictures: tokens and patches in one sequence."""

import keras
from keras import ops

from kzoo.layers import masks
from kzoo.layers.blocks import EncoderBlock
from kzoo.layers.dropout import Dropout
from kzoo.layers.patches import PatchEmbedding
from kzoo.layers.positions import LearnedPositions, SinusoidalPositions
from kzoo.layers.seeding import normal
from kzoo.layers.stack import TransformerStack

ADDED = LearnedPositions | SinusoidalPositions


@keras.saving.register_keras_serializable(package="kzoo")
class ImageTextEncoder(TransformerStack):
    """Turns tokens and the patches of a picture into vectors, each informed by all.

    The T tokens come first, then the P patches, in rows from the top left. Either kind
    has a vector of its own that is added to all of it, and each patch a trained vector
    for its place. Tokens know their order by `position`, which must act on the
    embedding alone: a distance between a word and a patch means nothing.

    Args:
        vocabulary_size: int. V, number of token ids.
        num_layers: int. Number of blocks.
        num_heads: int. N, attention heads per block.
        hidden_dim: int. D, the width of the vectors.
        intermediate_dim: int. The width inside the feed-forward.
        image_size: int. Height and width of a picture in pixels.
        patch_size: int. The side of a patch in pixels; must divide `image_size`.
        dropout: float. As of `TransformerEncoder`; of patches likewise.
        share_blocks: int. As of `TransformerEncoder`.
        position: "none", "sinusoidal" or "learned"; or a layer that acts there.
        **kwargs: further arguments of `TransformerEncoder`: `feed_forward`, `norm`,
            `norm_placement`, `attention`, without a kernel, and `embedding`.

    Call arguments:
        pixels: float `(B, image_size, image_size, 3)`, normalised.
        token_ids: int `(B, T)`, each in [0, V).
        padding_mask: bool `(B, T)`. `True` marks a token, `False` padding. `None`
            means that there is no padding.
        return_hidden_states: bool. Whether to return what each layer made.
        return_attention_weights: bool. Whether to return who looked at whom.
        training: bool. Whether dropout acts.

    Returns:
        Float `(B, T + P, D)` in the compute dtype; if anything more is asked, a pair,
        as of `TransformerEncoder`, over T + P places.

    Raises:
        ValueError: if an argument is out of range, or positions or attention are not
            of this kind.

    Reference:
        - [Kim et al., 2021](https://arxiv.org/abs/2102.03334)
    """

    def __init__(
        self,
        *args,
        image_size,
        patch_size,
        dropout=0.1,
        share_blocks=1,
        **kwargs,
    ):
        self.share_blocks = share_blocks
        super().__init__(*args, dropout=dropout, **kwargs)
        if image_size < 1 or patch_size < 1 or image_size % patch_size:
            raise ValueError(
                "`patch_size` must divide `image_size`. "
                f"Received: image_size={image_size}, patch_size={patch_size}"
            )
        if self.has_kernel:
            raise ValueError(
                "Kernels go by the distance of tokens, which a patch has not. "
                f"Received: attention={self._config['attention']}"
            )
        if not isinstance(self.position, ADDED | None):
            raise ValueError(
                "Of texts with pictures, positions act on the embedding alone: "
                '"none", "sinusoidal" or "learned". '
                f"Received: position={type(self.position).__name__}"
            )
        if self.embedding.embedding_dim != self.hidden_dim:
            raise ValueError(
                "Tokens and patches have vectors of one width. Received: "
                f"embedding_dim={self.embedding.embedding_dim}, "
                f"hidden_dim={self.hidden_dim}"
            )
        self.image_size = image_size
        self.patch_size = patch_size
        self.num_patches = (image_size // patch_size) ** 2
        policy = self.dtype_policy
        self.patches = PatchEmbedding(
            patch_size, self.hidden_dim, name="patches", dtype=policy
        )
        self.patch_dropout = Dropout(dropout, name="patch_dropout", dtype=policy)

    def _block(self, attention, feed_forward, norm, norm_placement, dropout, **kwargs):
        return EncoderBlock(
            attention, feed_forward, norm, norm_placement, dropout, **kwargs
        )

    def adapt(self, adaptation):
        raise ValueError(
            "A stack of tokens and patches has no adaptation. "
            f"Received: adaptation={adaptation}"
        )

    def build(self, pixels_shape, token_ids_shape=None):
        self._build(token_ids_shape)
        self.patches.build(pixels_shape)
        patched = (pixels_shape[0], self.num_patches, self.hidden_dim)
        self.patch_dropout.build(patched)
        self.types = self._table("types", 2)
        self.places = self._table("places", self.num_patches)

    def _table(self, name, rows):
        return self.add_weight(
            shape=(rows, self.hidden_dim),
            initializer=normal(self.path, name, 0.02),
            name=name,
        )

    def call(
        self,
        pixels,
        token_ids,
        padding_mask=None,
        return_hidden_states=False,
        return_attention_weights=False,
        training=None,
    ):
        dtype = self.compute_dtype
        types = ops.convert_to_tensor(self.types, dtype)  # (2, D)
        places = ops.convert_to_tensor(self.places, dtype)  # (P, D)
        positions = self._positions(ops.shape(token_ids)[1])  # (T,)
        added = self.position and self.position.embedding(positions)  # (T, D) or None
        added = types[:1] if added is None else added + types[0]  # (1 or T, D)
        text = self.embedding.call(
            token_ids, position_embedding=added, training=training
        )  # (B, T, D)
        seen = self.patches.call(pixels, training=training) + (places + types[1])
        seen = self.patch_dropout.call(seen, training=training)  # (B, P, D)
        mask = None
        if padding_mask is not None:
            mask = masks.padding_mask(self.with_patches(padding_mask))  # (B, 1, 1, T+P)
        return self._run(
            ops.concatenate([text, seen], axis=1),  # (B, T + P, D)
            return_hidden_states,
            return_attention_weights,
            attention_mask=mask,
            training=training,
        )

    def with_patches(self, padding_mask):
        """The mask of tokens and patches, bool `(B, T + P)`: patches are all there."""
        tokens = ops.cast(padding_mask, "int32")  # Not all backends pad bools.
        both = ops.pad(tokens, ((0, 0), (0, self.num_patches)), constant_values=1)
        return ops.cast(both, "bool")

    def compute_output_spec(self, pixels, token_ids, *args, **kwargs):
        if kwargs.get("return_hidden_states") or kwargs.get("return_attention_weights"):
            return super().compute_output_spec(pixels, token_ids, *args, **kwargs)
        batch, length = token_ids.shape
        length = None if length is None else length + self.num_patches
        shape = (batch, length, self.hidden_dim)
        return keras.KerasTensor(shape, dtype=self.compute_dtype)

    def get_config(self):
        return {
            **super().get_config(),
            "image_size": self.image_size,
            "patch_size": self.patch_size,
            "share_blocks": self.share_blocks,
        }
