"""The architecture, once: backend-agnostic Keras layers.

Within a layer kzoo runs its parts by their `call`: they are built and of the same dtype
policy, and Keras' `__call__` around each would cost a tenth of a forward pass on
PyTorch. From outside, call layers as usual.
"""

from kzoo.layers.attention import MultiHeadAttention
from kzoo.layers.blocks import DecoderBlock, EncoderBlock
from kzoo.layers.bottleneck import Bottleneck
from kzoo.layers.composed_positions import AlternatingPositions, PositionPair
from kzoo.layers.copying import CopyMechanism
from kzoo.layers.crf import LinearChainCRF
from kzoo.layers.decoder import TransformerDecoder
from kzoo.layers.disentangled_positions import DisentangledPositions
from kzoo.layers.dropout import Dropout
from kzoo.layers.embedding import TokenEmbedding
from kzoo.layers.encoder import TransformerEncoder
from kzoo.layers.feed_forward import FEED_FORWARDS, FeedForward, GatedFeedForward
from kzoo.layers.image_embedding import ImageEmbedding
from kzoo.layers.image_encoder import ImageEncoder
from kzoo.layers.image_text_encoder import ImageTextEncoder
from kzoo.layers.low_rank import LowRank
from kzoo.layers.normalization import NORMS
from kzoo.layers.output import OutputProjection
from kzoo.layers.patches import PatchEmbedding
from kzoo.layers.pooling import POOLINGS, Pooling
from kzoo.layers.positions import (
    LearnedPositions,
    PositionScheme,
    RotaryPositions,
    SinusoidalPositions,
)
from kzoo.layers.prefix import Prefix
from kzoo.layers.projection import Projection
from kzoo.layers.relative_positions import AlibiPositions, RelativePositions
from kzoo.layers.residual import ResidualStep
from kzoo.layers.seeding import set_seed
from kzoo.layers.similarity import Similarity, contrastive_loss
from kzoo.layers.soft_prompt import SoftPrompt

__all__ = [
    "FEED_FORWARDS",
    "NORMS",
    "POOLINGS",
    "AlibiPositions",
    "AlternatingPositions",
    "Bottleneck",
    "CopyMechanism",
    "DecoderBlock",
    "DisentangledPositions",
    "Dropout",
    "EncoderBlock",
    "FeedForward",
    "GatedFeedForward",
    "ImageEmbedding",
    "ImageEncoder",
    "ImageTextEncoder",
    "LearnedPositions",
    "LinearChainCRF",
    "LowRank",
    "MultiHeadAttention",
    "OutputProjection",
    "PatchEmbedding",
    "Pooling",
    "PositionPair",
    "PositionScheme",
    "Prefix",
    "Projection",
    "RelativePositions",
    "ResidualStep",
    "RotaryPositions",
    "Similarity",
    "SinusoidalPositions",
    "SoftPrompt",
    "TokenEmbedding",
    "TransformerDecoder",
    "TransformerEncoder",
    "contrastive_loss",
    "set_seed",
]
