"""What `[model]` may say: the encoder and the head on it.

The keys of `[model.encoder]` are the arguments of `kzoo.layers.TransformerEncoder`.
"""

from typing import Annotated, ClassVar, Literal

from msgspec import Struct
from msgspec.structs import fields, force_setattr

from .attention_schema import Attention, DecoderAttention
from .kinds import STRICT, Count, Natural, Rate, Table, says

Position = Literal[
    *("none", "sinusoidal", "learned", "rotary", "alibi", "relative", "neighbours")
]
FeedForward = Literal[
    *("relu", "gelu", "gelu_tanh", "silu", "reglu", "geglu", "geglu_tanh", "swiglu")
]
Norm = Literal["layer_norm", "rms_norm"]
Placement = Literal["pre", "post", "sandwich", "pre_but_first"]


class Embedding(Table, kw_only=True):
    """What happens to token vectors before the first block."""

    num_segments: Annotated[
        Natural, says("Kinds of segments with a vector of their own; 0 is none.")
    ] = 0
    scale: Annotated[bool, says("Whether vectors are multiplied by √`hidden_dim`.")] = (
        False
    )
    norm: Annotated[
        Norm | None,
        says("Norm after the embedding; none if left out."),
    ] = None
    dropout: Annotated[
        Rate | None,
        says(
            "Share of numbers dropped in training; the encoder's `dropout` if left out."
        ),
    ] = None
    token_dropout: Annotated[
        Rate, says("Share of whole tokens hidden in training.")
    ] = 0.0
    bigram_buckets: Annotated[
        Natural,
        says("Vectors shared, by a hash, among pairs of neighbours; 0 is none."),
    ] = 0
    bigram_dropout: Annotated[Rate, says("Share of pairs hidden in training.")] = 0.0
    embedding_dim: Annotated[
        Count | None,
        says(
            "Width of the token vectors, which a projection then brings to "
            "`hidden_dim`: it makes models with many tokens smaller; `hidden_dim`, "
            "without a projection, if left out."
        ),
    ] = None


class Encoder(Table, kw_only=True):
    """Arguments of TransformerEncoder; `vocabulary_size` comes from the tokenizer."""

    num_layers: Annotated[Count, says("Blocks.")]
    num_heads: Annotated[Count, says("Heads of attention; must divide `hidden_dim`.")]
    hidden_dim: Annotated[Count, says("Width of a token's vector.")]
    intermediate_dim: Annotated[Count, says("Width inside the feed-forward.")]
    dropout: Annotated[
        Rate, says("Share of each sub-layer's output dropped in training.")
    ] = 0.1
    position: Annotated[
        Position,
        says(
            "How the encoder knows the order of tokens. `neighbours` is relative "
            "positions whose heads begin at one neighbour each."
        ),
    ] = "sinusoidal"
    feed_forward: Annotated[
        FeedForward,
        says("Activation of the feed-forward; names that end in `glu…` are gated."),
    ] = "gelu"
    norm: Annotated[Norm, says("Kind of norm.")] = "layer_norm"
    norm_placement: Annotated[
        Placement,
        says(
            "Norms before each sub-layer, after it, or on both sides. "
            "`pre_but_first` leaves out the very first, for embeddings with a norm of "
            "their own."
        ),
    ] = "pre"
    attention: Attention | None = None
    embedding: Embedding | None = None
    share_blocks: Annotated[
        Count,
        says(
            "How many layers in a row share one set of weights, as in ALBERT; must "
            "divide `num_layers`. It makes a model smaller, not faster."
        ),
    ] = 1


class Model(Struct, **STRICT):
    """The encoder and the head on it."""

    pretrained: ClassVar = None  # A key of those that begin with a checkpoint.
    pretrained_sha256: ClassVar = None

    encoder: Encoder


class ClassifierModel(Model, kw_only=True):
    """The encoder and the head on it."""

    pooling: Annotated[
        Literal["mean", "first", "max"],
        says("How a text's token vectors become one."),
    ] = "mean"
    head_dim: Annotated[
        Count | None,
        says(
            "Width of the head's inner layer; the encoder's `hidden_dim` if left out."
        ),
    ] = None
    activation: Annotated[
        Literal["tanh", "relu", "gelu", "silu", "linear"],
        says("Activation inside the head."),
    ] = "tanh"
    dropout: Annotated[Rate, says("Share dropped inside the head, in training.")] = 0.1
    pooled_dropout: Annotated[
        Rate, says("Share of the pooled vector dropped before the head, in training.")
    ] = 0.0


class ImageTextModel(Model, kw_only=True):
    """The encoder of tokens and patches, and the head on it."""

    patch_size: Annotated[
        Count, says("Side of a patch in pixels; must divide `images.size`.")
    ] = 16
    pooling: Annotated[
        Literal["mean", "first", "max"],
        says("How the vectors of tokens and patches become one."),
    ] = "mean"
    head_dim: Annotated[
        Count | None,
        says(
            "Width of the head's inner layer; the encoder's `hidden_dim` if left out."
        ),
    ] = None
    activation: Annotated[
        Literal["tanh", "relu", "gelu", "silu", "linear"],
        says("Activation inside the head."),
    ] = "tanh"
    dropout: Annotated[Rate, says("Share dropped inside the head, in training.")] = 0.1


class TaggerModel(Model, kw_only=True):
    """The encoder and the head on it."""

    head: Annotated[
        Literal["linear", "crf"],
        says(
            "Whether each word is tagged by itself (`linear`), or all of a text "
            "together, with a score for each pair of neighbouring tags (`crf`)."
        ),
    ] = "linear"
    dropout: Annotated[
        Rate, says("Share of the encoder's output dropped before the head.")
    ] = 0.1


class MaskedModel(Model, kw_only=True):
    """The encoder and the head that scores the vocabulary by the token vectors."""

    activation: Annotated[
        Literal["gelu", "gelu_tanh", "relu", "silu", "tanh", "linear"],
        says("Activation inside the head, between its dense layer and its norm."),
    ] = "gelu"


class DecoderEmbedding(Table, kw_only=True):
    """What happens to token vectors before the decoder's first block."""

    scale: Annotated[
        bool | None,
        says(
            "Whether vectors are multiplied by √`hidden_dim`; as in the encoder if "
            "left out."
        ),
    ] = None
    norm: Annotated[
        Norm | None,
        says("Norm after the embedding; as in the encoder if left out."),
    ] = None
    dropout: Annotated[
        Rate | None,
        says("Share of numbers dropped in training; as in the encoder if left out."),
    ] = None
    token_dropout: Annotated[
        Rate | None,
        says(
            "Share of whole tokens hidden in training; as in the encoder if left out."
        ),
    ] = None
    embedding_dim: Annotated[
        Count | None,
        says("Width of the token vectors; as in the encoder if left out."),
    ] = None


class Decoder(Table, kw_only=True):
    """Arguments of TransformerDecoder; those left out are as in `[model.encoder]`."""

    num_layers: Annotated[Count | None, says("Blocks.")] = None
    num_heads: Annotated[
        Count | None, says("Heads of attention; must divide `hidden_dim`.")
    ] = None
    hidden_dim: Annotated[
        Count | None,
        says("Width of a token's vector, the encoder's with `share_embeddings`."),
    ] = None
    intermediate_dim: Annotated[
        Count | None, says("Width inside the feed-forward.")
    ] = None
    dropout: Annotated[
        Rate | None, says("Share of each sub-layer's output dropped in training.")
    ] = None
    position: Annotated[
        Position | None, says("How the decoder knows the order of tokens.")
    ] = None
    feed_forward: Annotated[
        FeedForward | None,
        says("Activation of the feed-forward; names that end in `glu…` are gated."),
    ] = None
    norm: Annotated[Norm | None, says("Kind of norm.")] = None
    norm_placement: Annotated[
        Placement | None,
        says("Norms before each sub-layer, after it, or on both sides."),
    ] = None
    attention: DecoderAttention | None = None
    embedding: DecoderEmbedding | None = None


ShareEmbeddings = Annotated[
    bool,
    says(
        "Whether encoder and decoder have one table of token vectors. The scores "
        "of the next token always come from the decoder's."
    ),
]


class SummarizerModel(Model, kw_only=True):
    """The encoder, which reads, and the decoder, which writes."""

    decoder: Decoder | None = None
    share_embeddings: ShareEmbeddings = True
    copy: Annotated[
        bool,
        says(
            "Whether the decoder may also point at a token of the document, and copy "
            "it (a pointer-generator)."
        ),
    ] = False
    neighbours: Annotated[
        Natural,
        says(
            "Summaries of the most similar training documents that are read before "
            "each document; 0 is none. The saved model remembers them."
        ),
    ] = 0

    def __post_init__(self):
        """Say what keys of the decoder that were left out stand for."""
        _fill_decoder(self)


class SpanModel(Model, kw_only=True):
    """The encoder, which reads, and the decoder, which writes."""

    decoder: Decoder | None = None
    share_embeddings: ShareEmbeddings = True
    family: Annotated[
        Literal["t5"] | None,
        says(
            "`t5`: in all that the tables of the stacks do not choose a T5, so that "
            "`kzoo export` makes one for transformers. It has relative positions, RMS "
            "norms before, no biases and scores that are not divided; of the tables "
            "sizes, `dropout` and `feed_forward` remain."
        ),
    ] = None

    def __post_init__(self):
        """Say what keys of the decoder that were left out stand for."""
        _fill_decoder(self)


def _fill_decoder(model):
    if model.pretrained is None:
        decoder = _filled(model.decoder, model.encoder, Decoder)
        force_setattr(model, "decoder", decoder)


def _filled(table, like, kind):
    """A table of type `kind`: what it leaves out is as in the table `like`."""
    if like is None:
        return table
    values = {}
    for field in fields(kind):
        own = getattr(table, field.name, None)
        other = getattr(like, field.name)
        if field.name in INNER:
            own = _filled(own, other, INNER[field.name])
        values[field.name] = other if own is None else own
    return kind(**values)


INNER = {"attention": DecoderAttention, "embedding": DecoderEmbedding}
