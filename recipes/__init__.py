"""Recipes as data: schema, loader and the shipped .toml files. No Keras."""

from .errors import KzooError, RecipeError
from .explain import from_dict
from .hints import did_you_mean, nearest
from .loader import describe, find, load, names
from .model_schema import Attention, Embedding, Encoder, Model
from .schema import (
    BACKENDS,
    METRICS,
    MINIMISED,
    TASKS,
    Bound,
    Data,
    Recipe,
    Tokenizer,
    Training,
)
from .writing import arguments_of, dict_of, to_toml

__all__ = [
    "BACKENDS",
    "METRICS",
    "MINIMISED",
    "TASKS",
    "Attention",
    "Bound",
    "Data",
    "Embedding",
    "Encoder",
    "KzooError",
    "Model",
    "Recipe",
    "RecipeError",
    "Tokenizer",
    "Training",
    "arguments_of",
    "describe",
    "dict_of",
    "did_you_mean",
    "find",
    "from_dict",
    "load",
    "names",
    "nearest",
    "to_toml",
]
