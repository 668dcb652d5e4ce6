"""Adapted models on their way to where no adaptations are known."""

from kzoo_recipes import KzooError

from kzoo.models.adaptation import is_adapted, merge, stacks_of


def plain(model, name=None):
    """A model without adaptation that answers alike, and what was done, in notes.

    Args:
        model: any model.
        name: str. What errors call it; "this model" if `None`.

    Returns:
        The model, itself if it is not adapted, and a list of str.

    Raises:
        KzooError: if what was added to it is more than other weights.
    """
    if getattr(model, "adaptation", None) is not None:
        raise KzooError(
            "An encoder that is adapted goes out with the model it is of, or after "
            "kzoo.merge(model)."
        )
    if not is_adapted(model):
        return model, []
    try:
        merged = merge(model)
    except ValueError:
        kinds = {s.adaptation.method for s in stacks_of(model).values() if s.adaptation}
        raise KzooError(
            f"{name or 'this model'} is adapted by {' and '.join(sorted(kinds))}, "
            "which adds parts that no plain model has, so it cannot be merged; use it "
            "as it is, or train with LoRA."
        ) from None
    return merged, ["what it was adapted by is merged into its weights"]
