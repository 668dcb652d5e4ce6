"""Peak learning rates of layers, as far as a recipe tells them without its model."""

from .heights import heights
from .parts import told

STACKS = ("encoder", "decoder")


def layer_rates(recipe):
    """The peak rate of each layer that has another than `learning_rate`.

    Args:
        recipe: `Recipe`.

    Returns:
        dict from the name of a layer, the top one first, to float; empty where all
        have one rate, or the recipe does not say how many layers there are.
    """
    training, rates = recipe.training, {}
    table = training.learning_rates or {}
    paths = list(_layers(recipe.model))
    for path, height in sorted(heights(paths).items(), key=lambda item: item[1]):
        rate = told(path, table) or training.learning_rate
        rates[".".join(path.split("/")[:2])] = rate * training.layer_decay**height
    changed = set(rates.values()) - {training.learning_rate}
    return rates if changed else {}


def _layers(model):
    """Yield the path of a weight in each layer of the stacks."""
    for name in STACKS:
        count = getattr(getattr(model, name, None), "num_layers", None)
        if count is None:
            continue
        if name == "encoder" or not model.share_embeddings:
            yield f"{name}/embedding/embeddings"
        for index in range(count):
            yield f"{name}/block_{index}/weight"
