"""How each weight is moved: its rate, its decay, and from which step on."""

import dataclasses
import math
from fractions import Fraction

from kzoo_recipes import KzooError
from kzoo_recipes.heights import heights
from kzoo_recipes.parts import fits, parts, told, unknown

from kzoo.models.sizes import count_parameters
from kzoo.training.optimizer import Manner, decays
from kzoo.training.steppers.variables import neutral_names


@dataclasses.dataclass(frozen=True)
class Manners:
    """What `manners_of` makes of a recipe's `[training]`.

    Attributes:
        by_path: dict from the path of a weight to its `Manner`; empty where all weights
            are moved alike.
        starts: tuple of int, see `AdamW`.
        groups: list of dict, as JSON takes it, one for all weights that are moved
            alike, from the head down: "parts", names that hold them, "parameters",
            "learning_rate", the peak, "weight_decay", of those that decay, and
            "from_step", the first that moves them, from 1.
    """

    by_path: dict
    starts: tuple
    groups: list


def manners_of(model, settings, steps_per_epoch):
    """How the trainable weights of a model are moved.

    The peak rate of a weight is what `learning_rates` says of it, or `learning_rate`,
    times `layer_decay` to the power of its height, see `kzoo_recipes.heights`. With
    `unfreeze_every` the weights of the least height move from the first step on, and
    those of each further one begin so many steps after those above them.

    Args:
        model: built `keras.Model`, its parts frozen that shall be.
        settings: `[training]` of a recipe.
        steps_per_epoch: int.

    Raises:
        KzooError: if a part does not exist or has no weight of which this can be said,
            or there is nothing to unfreeze.

    Reference:
        - [Howard and Ruder, 2018](https://arxiv.org/abs/1801.06146), for rates by layer
          and gradual unfreezing
    """
    path_of = neutral_names(model.weights)
    weights = {path_of(v.path): v for v in model.trainable_variables}
    everything = [path_of(v.path) for v in model.weights]
    rates, decay_of = settings.learning_rates or {}, settings.weight_decays or {}
    decaying = [path for path, v in weights.items() if decays(path, v.shape)]
    check("learning_rates", rates, everything, weights, "is frozen")
    check(
        *("weight_decays", decay_of, everything, decaying),
        "has no weight that decays: biases and norms do not, nor what is frozen",
    )
    height = heights(everything)
    stage_of, starts = stages(settings, [height[p] for p in weights], steps_per_epoch)
    rows = {}
    for path in weights:
        rate = told(path, rates)
        decay = told(path, decay_of)
        rows[path] = Manner(
            (1.0 if rate is None else rate / settings.learning_rate)
            * settings.layer_decay ** height[path],
            settings.weight_decay if decay is None else decay,
            stage_of[height[path]],
        )
    plain = not rates and not decay_of and settings.layer_decay == 1 == len(starts)
    own = {
        path: row if path in decaying else dataclasses.replace(row, weight_decay=0.0)
        for path, row in rows.items()
    }
    groups = groups_of(rows, weights, settings.learning_rate, starts)
    return Manners({} if plain else own, starts, groups)


def moved_parameters(groups, steps):
    """How many numbers so many steps train: those of groups whose turn has come.

    Args:
        groups: list of dict, see `Manners`.
        steps: int.
    """
    return sum(group["parameters"] for group in groups if group["from_step"] <= steps)


def check(key, table, everything, usable, otherwise):
    """Raise a `KzooError` for a name in a table of which nothing can be said."""
    for name in table:
        if not any(fits(path, name) for path in everything):
            raise KzooError(unknown(key, name, everything))
        if not any(fits(path, name) for path in usable):
            raise KzooError(f'[training] {key}: "{name}" {otherwise}.')


def stages(settings, found, steps_per_epoch):
    """The stage of each height that is found, and the steps before each stage."""
    order = sorted(set(found))
    every = settings.unfreeze_every
    if settings.unfreeze_every_epochs is not None:
        # As it is written: 0.1 epochs of 30 steps are 3, not 3.0000000000000004.
        every = Fraction(repr(settings.unfreeze_every_epochs)) * steps_per_epoch
    if every is None:
        return dict.fromkeys(order, 0), (0,)
    if len(order) == 1:
        raise KzooError(
            "[training] unfreeze_every frees layer by layer, and all that is trained "
            "here is one layer: take it out."
        )
    return (
        {height: stage for stage, height in enumerate(order)},
        tuple(math.ceil(stage * every) for stage in range(len(order))),
    )


def groups_of(rows, weights, learning_rate, starts):
    """See `Manners.groups`."""
    by_manner = {}
    for path, row in rows.items():
        by_manner.setdefault(row, []).append(path)
    return [
        {
            "parts": whole_parts(paths, rows),
            "parameters": count_parameters([weights[path] for path in paths]),
            "learning_rate": row.factor * learning_rate,
            "weight_decay": row.weight_decay,
            "from_step": starts[row.stage] + 1,
        }
        for row, paths in sorted(by_manner.items(), key=lambda item: order(item[0]))
    ]


def order(row):
    return row.stage, -row.factor, -row.weight_decay


def whole_parts(paths, everything):
    """The fewest names of parts that hold these paths and none of the others."""
    own = set(paths)
    others = set(parts(path for path in everything if path not in own))
    found = {}
    for path in paths:
        found[next(name for name in parts([path]) if name not in others)] = None
    return list(found)
