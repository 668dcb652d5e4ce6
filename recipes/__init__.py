"""Recipes as data: schema, loader and the shipped .toml files. No Keras."""

from .data_schema import ClassifierData, Data, SummarizerData, TaggerData, TextData
from .errors import KzooError, RecipeError, Terminated
from .explain import from_dict
from .generation_schema import Generation
from .hints import did_you_mean, nearest
from .kinds import INT32_MAX, LONGEST
from .loader import describe, find, load, names
from .masking_schema import Masking
from .model_schema import (
    Attention,
    ClassifierModel,
    Decoder,
    DecoderAttention,
    DecoderEmbedding,
    Embedding,
    Encoder,
    MaskedModel,
    Model,
    SummarizerModel,
    TaggerModel,
)
from .run_folders import (
    find_run,
    is_unfinished,
    recipe_beside,
    run_folder,
    running_folder,
)
from .schema import (
    BACKENDS,
    METRICS,
    MINIMISED,
    MULTI_LABEL_METRICS,
    PLAIN_METRICS,
    RECIPES,
    TASKS,
    Bound,
    ClassifierRecipe,
    MaskedRecipe,
    Recipe,
    SummarizerRecipe,
    TaggerRecipe,
    Tokenizer,
)
from .training_schema import (
    ClassifierTraining,
    MaskedTraining,
    SummarizerTraining,
    TaggerTraining,
    Training,
)
from .writing import arguments_of, dict_of, to_toml

__all__ = [
    "BACKENDS",
    "INT32_MAX",
    "LONGEST",
    "METRICS",
    "MINIMISED",
    "MULTI_LABEL_METRICS",
    "PLAIN_METRICS",
    "RECIPES",
    "TASKS",
    "Attention",
    "Bound",
    "ClassifierData",
    "ClassifierModel",
    "ClassifierRecipe",
    "ClassifierTraining",
    "Data",
    "Decoder",
    "DecoderAttention",
    "DecoderEmbedding",
    "Embedding",
    "Encoder",
    "Generation",
    "KzooError",
    "MaskedModel",
    "MaskedRecipe",
    "MaskedTraining",
    "Masking",
    "Model",
    "Recipe",
    "RecipeError",
    "SummarizerData",
    "SummarizerModel",
    "SummarizerRecipe",
    "SummarizerTraining",
    "TaggerData",
    "TaggerModel",
    "TaggerRecipe",
    "TaggerTraining",
    "Terminated",
    "TextData",
    "Tokenizer",
    "Training",
    "arguments_of",
    "describe",
    "dict_of",
    "did_you_mean",
    "find",
    "find_run",
    "from_dict",
    "is_unfinished",
    "load",
    "names",
    "nearest",
    "recipe_beside",
    "run_folder",
    "running_folder",
    "to_toml",
]
