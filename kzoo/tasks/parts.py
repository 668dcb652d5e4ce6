"""What tasks have in common: encoders, precision, and what to say of the rows."""

import contextlib

import keras
from kzoo_recipes import arguments_of

from kzoo import layers
from kzoo.interop.pretrained_heads import tuned_model
from kzoo.tasks.pretrained import pretrained_encoder

SHAPES = 4  # of training batches; a compiled step costs seconds for each


def make_encoder(recipe, prepared):
    """The encoder of a recipe. The seed and the dtype policy are the caller's.

    What is to be said of a pretrained one is added to `prepared.notes`.

    Args:
        recipe: `Recipe`.
        prepared: what the recipe's task made of its rows.
    """
    if recipe.model.pretrained is not None:
        return pretrained_encoder(recipe, prepared)
    arguments = stack_arguments(recipe.model.encoder, prepared.sequence_length)
    return layers.TransformerEncoder(
        prepared.tokenizer.vocabulary_size, **arguments, name="encoder"
    )


def make_model(kind, recipe, prepared, **arguments):
    """The classifier or tagger of a recipe, else as `make_encoder`.

    Args:
        kind: `TextClassifier` or `TokenTagger`.
        recipe: `Recipe`.
        prepared: what the recipe's task made of its rows.
        **arguments: of `kind`.

    Returns:
        The model, with its tokenizer and labels.
    """
    labels = prepared.labels.names
    if recipe.model.pretrained is None:
        model = kind(make_encoder(recipe, prepared), len(labels), **arguments)
    else:
        dropouts = arguments_of(recipe.model.encoder)
        model, notes = tuned_model(
            kind, prepared.pretrained, dropouts, labels, **arguments
        )
        prepared.notes.extend(notes)
    return model.attach(prepared.tokenizer, labels)


def stack_arguments(table, length):
    """The arguments of a stack that a recipe's table describes.

    Args:
        table: `kzoo_recipes.Encoder` or `Decoder`.
        length: int. For how many tokens positions are learned, if they are.
    """
    arguments = arguments_of(table)
    if arguments["position"] == "learned":
        width = arguments["hidden_dim"]
        arguments["position"] = layers.LearnedPositions(width, length)
    return arguments


@contextlib.contextmanager
def dtype_policy(name):
    """Make layers with the dtype policy `name`."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(name)
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


def share(count, of, what):
    """What begins a sentence: `1 of 3 texts (33.3%) is`, `2 of 3 texts (66.7%) are`."""
    is_are = "is" if count == 1 else "are"
    return f"{count:,} of {of:,} {what} ({count / of:.1%}) {is_are}"


def split_notes(data, splits):
    """Say which splits have no file of their own, and how large they became."""
    whole = splits["train"].path
    made = [
        split
        for split in ("dev", "test")
        if getattr(data, split) is None and splits[split].path == whole
    ]
    if not made:
        return []
    sizes = ", ".join(f"{split} {len(rows):,}" for split, rows in splits.items())
    return [f"{' and '.join(made)} split off train by a hash of the text: {sizes}"]


def weight_note(kind, names, weights):
    """Say what classes weigh, the first ten of them.

    Args:
        kind: str. What is weighed.
        names: iterable of str, one per class.
        weights: list of str, as many.
    """
    shown = [f'"{name}" {weight}' for name, weight in zip(names, weights, strict=True)]
    more = f" and {len(shown) - 10} more" if len(shown) > 10 else ""
    return f"{kind}: {', '.join(shown[:10])}{more}"
