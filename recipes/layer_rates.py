"""Learning rates of layers: those that a recipe tells, and those of a run in words."""

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


def rate_lines(groups):
    """The groups of a run as a small table, under a headline; nothing for one.

    Args:
        groups: list of dict, as `groups` of metrics.json.
    """
    if len(groups) == 1:
        return []
    cells = [("learning rate", "decay", "from step", "parameters", "parts")]
    for group in groups:
        cells.append(
            (
                f"{group['learning_rate']:.2e}",
                f"{group['weight_decay']:g}",
                f"{group['from_step']:,}",
                f"{group['parameters']:,}",
                ", ".join(group["parts"]),
            )
        )
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell if i == len(row) - 1 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
