"""What a recipe may say that begins with a pretrained encoder.

`[model] pretrained` brings encoder, weights and tokenizer, so what remains to be chosen
is what is dropped in training, and how a decoder begins.
"""

from typing import Annotated, Literal

from msgspec import Meta, defstruct

from .kinds import STRICT, Count, Rate, Table, Text, says
from .model_schema import ClassifierModel, Model, SummarizerModel, TaggerModel
from .schema import (
    ClassifierRecipe,
    MaskedRecipe,
    SpanRecipe,
    SummarizerRecipe,
    TaggerRecipe,
    Tokenizer,
)

Pretrained = Annotated[
    Text,
    says(
        "What the encoder, its weights and the tokenizer come from, and of "
        "`summarizer` and `span_corruption` the decoder, where there is one: "
        "`hf:ORG/NAME@REVISION` of the Hugging Face hub, where the revision may be "
        "left out; the folder of such a checkpoint, looked for beside the recipe; or "
        "a run or `.keras` file of kzoo."
    ),
]
Fingerprint = Annotated[
    Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None,
    says(
        "SHA-256 of these weights, which a run's own recipe records; other "
        "weights are then refused."
    ),
]


class TunedAttention(Table, kw_only=True):
    """What fine-tuning may choose of a pretrained encoder's attention."""

    dropout: Annotated[
        Rate | None,
        says(
            "Share of attention weights dropped in training; the encoder's `dropout`, "
            "or the checkpoint's share, if left out."
        ),
    ] = None


class TunedEmbedding(Table, kw_only=True):
    """What fine-tuning may choose of a pretrained encoder's embedding."""

    dropout: Annotated[
        Rate | None,
        says(
            "Share of numbers dropped in training; the encoder's `dropout`, or the "
            "checkpoint's share, if left out."
        ),
    ] = None
    token_dropout: Annotated[
        Rate | None, says("Share of whole tokens hidden in training; none if left out.")
    ] = None


class TunedEncoder(Table, kw_only=True):
    """What fine-tuning may choose of a pretrained encoder, and of a decoder with it."""

    dropout: Annotated[
        Rate | None,
        says(
            "Share of all that is dropped in training, but for what the tables below "
            "say otherwise; the checkpoint's shares if left out."
        ),
    ] = None
    attention: TunedAttention | None = None
    embedding: TunedEmbedding | None = None


class TunedDecoder(Table, kw_only=True):
    """How a decoder is made where the checkpoint has none: like the encoder."""

    num_layers: Annotated[
        Count | None,
        says(
            "Blocks; fewer than the encoder's, or than those of a decoder that the "
            "checkpoint has, are like some of these, evenly spread; as many if left "
            "out."
        ),
    ] = None
    init: Annotated[
        Literal["encoder", "random"],
        says(
            "What its self-attention, feed-forward, norms and positions begin with: "
            "the encoder's weights, or new ones."
        ),
    ] = "encoder"
    cross_attention: Annotated[
        Literal["random", "encoder"],
        says(
            "What its attention to the encoder begins with: new weights, or those of "
            "the encoder's self-attention."
        ),
    ] = "random"


def _model(kind, *more):
    """The `[model]` of a task, whose encoder comes from a checkpoint."""
    keys = [
        ("pretrained", Pretrained),
        ("pretrained_sha256", Fingerprint, None),
        ("encoder", TunedEncoder, TunedEncoder()),
        *more,
    ]
    return _like(kind, keys)


def _recipe(kind, model):
    """The recipe of a task with such a `[model]`, and without a `[tokenizer]`."""
    return _like(kind, [("tokenizer", Tokenizer | None, None), ("model", model)])


def _like(kind, keys):
    """A table with the keys of another, and others."""
    made = defstruct(
        f"Tuned{kind.__name__}", keys, bases=(kind,), module=__name__, **STRICT
    )
    made.__doc__ = kind.__doc__
    return made


TunedClassifierModel = _model(ClassifierModel)
TunedTaggerModel = _model(TaggerModel)
TunedSummarizerModel = _model(
    SummarizerModel, ("decoder", TunedDecoder, TunedDecoder())
)
TunedMaskedModel = _model(Model)  # The head, too, is the checkpoint's.
TunedSpanModel = _model(Model)  # So is the decoder.
TunedClassifierRecipe = _recipe(ClassifierRecipe, TunedClassifierModel)
TunedTaggerRecipe = _recipe(TaggerRecipe, TunedTaggerModel)
TunedSummarizerRecipe = _recipe(SummarizerRecipe, TunedSummarizerModel)
TunedMaskedRecipe = _recipe(MaskedRecipe, TunedMaskedModel)
TunedSpanRecipe = _recipe(SpanRecipe, TunedSpanModel)
TUNED_RECIPES = {
    "text_classifier": TunedClassifierRecipe,
    "token_tagger": TunedTaggerRecipe,
    "summarizer": TunedSummarizerRecipe,
    "masked_lm": TunedMaskedRecipe,
    "span_corruption": TunedSpanRecipe,
}
