"""Recipes that train a small part beside a pretrained model: `[adaptation]`."""

from kzoo_recipes import KzooError, adaptation_arguments

from kzoo.layers.adaptation import METHODS
from kzoo.layers.relative_positions import RelativePositions
from kzoo.models.adaptation import adapt, own_weights
from kzoo.models.sizes import count_parameters


def adapted(recipe, model, prepared):
    """The model of a recipe, with what its `[adaptation]` puts in; else as it is.

    What of the checkpoint stands still and what is new is trained, as heads are. What
    it comes to is added to `prepared.notes`.

    Args:
        recipe: `Recipe`.
        model: the task's model, as it was built.
        prepared: what the task made of the rows.

    Raises:
        KzooError: if the adaptation does not fit the model.
    """
    if recipe.adaptation is None:
        return model
    method = recipe.adaptation.method
    arguments = adaptation_arguments(recipe.adaptation)
    try:
        model = adapt(model, arguments, new_parts(recipe, model, prepared))
    except ValueError as error:
        raise KzooError(f"[adaptation.{method}] {error}") from None
    brought = brought_outside(recipe, prepared)
    for weight in model.trainable_weights:
        weight.trainable = not weight.path.startswith(brought)
    trained = count_parameters(model.trainable_weights)
    total = count_parameters(model.weights)
    prepared.notes.append(
        f"{method}: {trained:,} of {total:,} parameters are trained "
        f"({trained / total:.2%})"
    )
    if not METHODS[method].merges:
        prepared.notes.append(
            f"cannot be exported to Hugging Face: transformers has no {method}"
        )
    return model


def new_parts(recipe, model, prepared):
    """The parts of each stack that begin with new weights, as `adapt` takes them."""
    decoder = getattr(recipe.model, "decoder", None)
    if decoder is None or prepared.pretrained.writes:
        return {}
    if decoder.init == "random":
        return {"decoder": None}
    new = []
    if decoder.cross_attention == "random":
        new += ["cross_attention", "cross_attention_step"]
    if isinstance(model.decoder.position, RelativePositions):
        new.append("position")  # Of one that looks back only: `warm_start` has none.
    return {"decoder": new}


def brought_outside(recipe, prepared):
    """How the paths of weights begin that the checkpoint has outside of the stacks."""
    if prepared.pretrained.writes:
        return ("logits/",)
    # A head that has no table of its own is small, and trained as all heads are.
    return ("logits/embeddings",) if recipe.task == "masked_lm" else ()


def adapter_weights(recipe, model, prepared):
    """What a run must save beside its base, by path, as `own_weights` has it."""
    brought = brought_outside(recipe, prepared)
    return {
        path: weight
        for path, weight in own_weights(model).items()
        if not path.startswith(brought)
    }


def warmth(recipe, prepared):
    """The arguments of `warm_start` by which a decoder began; `None` if it did not."""
    decoder = getattr(recipe.model, "decoder", None)
    if decoder is None or prepared.pretrained.writes or decoder.init == "random":
        return None
    return {"cross_attention": decoder.cross_attention == "encoder"}
