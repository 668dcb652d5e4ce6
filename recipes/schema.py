"""What a recipe may say: every key, its type, its range, its default and its meaning.

Each task has a table of its own, with the keys of all tasks and some more. TOML has no
null, so `None` always means "the key is not there".
"""

import math
from typing import Annotated, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import force_setattr, replace

from .adaptation_schema import Adaptation
from .corruption_schema import Corruption
from .data_schema import (
    ClassifierData,
    Data,
    ImageTextData,
    SummarizerData,
    TaggerData,
    TextData,
)
from .generation_schema import Generation
from .images_schema import Images
from .kinds import INT32_MAX, STRICT, Count, Natural, Table, Text, says
from .masking_schema import Masking
from .model_schema import (
    ClassifierModel,
    ImageTextModel,
    MaskedModel,
    Model,
    SpanModel,
    SummarizerModel,
    TaggerModel,
)
from .training_schema import (
    ClassifierTraining,
    MaskedTraining,
    SummarizerTraining,
    TaggerTraining,
    Training,
)

BACKENDS = ("tensorflow", "torch", "jax")
METRICS = {
    "text_classifier": (
        *("accuracy", "macro_f1", "micro_f1", "weighted_f1", "mcc", "roc_auc"),
        *("calibration_error", "loss"),
    ),
    "token_tagger": (
        *("f1", "precision", "recall", "macro_f1", "weighted_f1", "strict_f1"),
        *("accuracy", "loss"),
    ),
    "summarizer": ("rouge1", "rouge2", "rougeL", "rougeLsum", "loss"),
    "masked_lm": ("accuracy", "perplexity", "loss"),
    "span_corruption": ("accuracy", "perplexity", "loss"),
    "image_text_classifier": (
        *("accuracy", "macro_f1", "micro_f1", "weighted_f1", "mcc", "roc_auc"),
        *("calibration_error", "loss"),
    ),
}
MULTI_LABEL_METRICS = {
    "text_classifier": (
        *("accuracy", "macro_f1", "micro_f1", "weighted_f1"),
        *("hamming_loss", "loss"),
    )
}
PLAIN_METRICS = {"token_tagger": ("accuracy", "macro_f1", "weighted_f1", "loss")}
# The least and the most that a metric can be; of those not named, 0 and 1.
RANGES = {"mcc": (-1, 1), "loss": (0, math.inf), "perplexity": (1, math.inf)}
# Of others, more is better.
MINIMISED = ("calibration_error", "hamming_loss", "loss", "perplexity")


class Tokenizer(Table, kw_only=True):
    """How text becomes tokens: trained on the training text, or read from `file`."""

    kind: Annotated[
        Literal["wordpiece", "byte_bpe", "unigram", "word"],
        says(
            "Pieces of words as BERT (`wordpiece`), GPT-2 (`byte_bpe`) or T5 "
            "(`unigram`) has them, or whole words (`word`)."
        ),
    ] = "wordpiece"
    vocabulary_size: Annotated[
        int,
        Meta(ge=6, le=INT32_MAX),
        says(
            "Tokens at the most, five special ones counted, and of `span_corruption` "
            "100 sentinels."
        ),
    ] = 8000
    lowercase: Annotated[bool, says("Whether capitals are lowered first.")] = True
    min_frequency: Annotated[
        Count,
        says("How often a word, or a pair of pieces, must occur to become a token."),
    ] = 2
    file: Annotated[
        Text | None,
        says(
            "A `tokenizer.json` or `vocab.txt` to use as it is, looked for beside the "
            "recipe."
        ),
    ] = None


class Bound(Table, kw_only=True):
    """What a metric on the test split must reach."""

    at_least: Annotated[float | None, says("Lowest value that keeps the promise.")] = (
        None
    )
    at_most: Annotated[float | None, says("Highest value that keeps the promise.")] = (
        None
    )


class Recipe(Struct, **STRICT):
    """One run, completely described: the keys of every task."""

    schema: Annotated[Literal[1], says("Version of this schema.")] = 1
    name: Annotated[
        Text | None, says("Names the run's folder; the file's name if left out.")
    ] = None
    task: Annotated[
        Literal[
            *("text_classifier", "token_tagger", "summarizer", "masked_lm"),
            *("span_corruption", "image_text_classifier"),
        ],
        says("What is learnt."),
    ]
    backend: Annotated[
        Literal["tensorflow", "torch", "jax"],
        says("Framework to run on; `--backend` and `KERAS_BACKEND` win over it."),
    ] = "jax"
    seed: Annotated[
        Natural, says("Weights, dropout and the order of rows follow from it.")
    ] = 0
    data: Data
    tokenizer: Tokenizer = Tokenizer()
    model: Model
    adaptation: Annotated[
        Adaptation | None,
        says("Train a small part beside a pretrained model; all of it if left out."),
    ] = None
    training: Training = Training()
    expect: Annotated[
        dict[str, Bound],
        says(
            "What the run must reach on its own test rows, by metric; a run that does "
            "not says so."
        ),
    ] = field(default_factory=dict)


class ClassifierRecipe(Recipe, kw_only=True):
    """One run, completely described: labels for a whole text."""

    data: ClassifierData
    model: ClassifierModel
    training: ClassifierTraining = ClassifierTraining()


class TaggerRecipe(Recipe, kw_only=True):
    """One run, completely described: a tag for every word."""

    data: TaggerData
    model: TaggerModel
    training: TaggerTraining = TaggerTraining()

    def __post_init__(self):
        """Say what keys that were left out stand for, where other keys decide it."""
        plain = self.data.scheme == "plain"
        if self.data.learn_scheme is None:
            scheme = "plain" if plain else "iob2"
            force_setattr(self, "data", replace(self.data, learn_scheme=scheme))
        if self.training.metric is None:
            metric = "accuracy" if self.data.learn_scheme == "plain" else "f1"
            force_setattr(self, "training", replace(self.training, metric=metric))


class MaskedRecipe(Recipe, kw_only=True):
    """One run, completely described: the tokens that are hidden in a text."""

    data: TextData
    masking: Masking = Masking()
    model: MaskedModel
    training: MaskedTraining = MaskedTraining()


class SpanRecipe(Recipe, kw_only=True):
    """One run, completely described: the spans that are missing in a text."""

    data: TextData
    corruption: Corruption = Corruption()
    model: SpanModel
    training: MaskedTraining = MaskedTraining()


class ImageTextRecipe(Recipe, kw_only=True):
    """One run, completely described: a label for a text with its picture."""

    data: ImageTextData
    images: Images = Images()
    model: ImageTextModel
    training: ClassifierTraining = ClassifierTraining()


class SummarizerRecipe(Recipe, kw_only=True):
    """One run, completely described: a summary for every document."""

    data: SummarizerData
    model: SummarizerModel
    training: SummarizerTraining = SummarizerTraining()
    generation: Generation = Generation()

    def __post_init__(self):
        """Say what keys that were left out stand for, where other keys decide it."""
        if self.generation.max_new_tokens is None:
            longest = self.data.summary_length
            filled = replace(self.generation, max_new_tokens=longest)
            force_setattr(self, "generation", filled)


RECIPES = {
    "text_classifier": ClassifierRecipe,
    "token_tagger": TaggerRecipe,
    "summarizer": SummarizerRecipe,
    "masked_lm": MaskedRecipe,
    "span_corruption": SpanRecipe,
    "image_text_classifier": ImageTextRecipe,
}
TASKS = tuple(RECIPES)
