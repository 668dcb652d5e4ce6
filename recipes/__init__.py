"""Recipes as data: schema, loader and the shipped .toml files. No Keras."""

from .data_schema import ClassifierData, Data, TaggerData
from .errors import KzooError, RecipeError, Terminated
from .explain import from_dict
from .hints import did_you_mean, nearest
from .kinds import INT32_MAX
from .loader import describe, find, load, names
from .model_schema import (
    Attention,
    ClassifierModel,
    Embedding,
    Encoder,
    Model,
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
    Recipe,
    TaggerRecipe,
    Tokenizer,
)
from .training_schema import ClassifierTraining, TaggerTraining, Training
from .writing import arguments_of, dict_of, to_toml

__all__ = [
    "BACKENDS",
    "INT32_MAX",
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
    "Embedding",
    "Encoder",
    "KzooError",
    "Model",
    "Recipe",
    "RecipeError",
    "TaggerData",
    "TaggerModel",
    "TaggerRecipe",
    "TaggerTraining",
    "Terminated",
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
