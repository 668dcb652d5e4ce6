"""Models that are adapted: most of their weights stand still, a few are trained."""

import dataclasses
import math

import numpy as np
from keras import ops

from kzoo.layers.adaptation import (
    adaptation_of,
    described,
    found,
    projections,
)
from kzoo.layers.seeding import drawn_from

STACKS = ("encoder", "decoder")
CARRIED = ("tokenizer", "labels", "memory")


def adapt(model, adaptation, new=None):
    """A model like `model`, with its weights, whose stacks are adapted.

    It answers as `model` does until it is trained. Of its stacks only what the
    adaptation says is trained; heads are, too. It is saved and loaded like any other.

    Args:
        model: built `TextClassifier`, `TokenTagger`, `MaskedLM` or `Seq2Seq`.
        adaptation: dict of "method" and its arguments, such as
            `{"method": "lora", "rank": 8}`, see `kzoo.layers.adaptation`.
        new: dict from "encoder" or "decoder" to a tuple of names of parts of that stack
            that have learnt nothing yet and are trained whole; `None` in place of the
            names is all of it. `None` says that there are no such parts.

    Returns:
        A model of the same class.

    Raises:
        ValueError: if the model is adapted already, an argument is out of range, or a
            target fits no projection of the model.
    """
    stacks = stacks_of(model)
    if any(stack.adaptation is not None for stack in stacks.values()):
        raise ValueError(
            "A model is adapted once; `merge` makes a plain one of it. "
            f"Received: model={model.name!r}"
        )
    adaptation, new = adaptation_of(adaptation), new or {}
    _check(adaptation, stacks)
    config = model.get_config()
    for name in stacks:
        parts = new.get(name, ())
        if parts is not None:
            own = dataclasses.replace(adaptation, new=tuple(parts))
            _stack_config(config, name)["adaptation"] = described(own)
    made = remade(model, config)
    inside = [w for name in stacks for w in getattr(made, name).trainable_weights]
    if not inside:
        raise ValueError(
            f"{adaptation.method!r} finds nothing to train in the stacks of the model. "
            f"Received: model={model.name!r}"
        )
    return made


def merge(model):
    """A plain model that answers as an adapted one does.

    Args:
        model: a model, adapted or not.

    Returns:
        A model of the same class without adaptation, its updates added to the weights
        they stand beside; `model` itself if it is not adapted.

    Raises:
        ValueError: if the adaptation is more than other weights.
    """
    stacks = stacks_of(model)
    if all(stack.adaptation is None for stack in stacks.values()):
        return model
    for stack in stacks.values():
        if stack.adaptation is not None and not stack.adaptation.merges:
            raise ValueError(
                f"{stack.adaptation.method!r} adds parts that no plain model has, so "
                f"it cannot be merged. Received: model={model.name!r}"
            )
    config = model.get_config()
    for name in stacks:
        _stack_config(config, name).pop("adaptation", None)
    plain = remade(model, config)
    for name, stack in stacks.items():
        made = dict(projections(getattr(plain, name)))
        for path, projection in projections(stack):
            if projection.low_rank is not None:
                kernel = made[path].kernel
                kernel.assign(ops.convert_to_numpy(kernel) + update_of(projection))
    return plain


def folded(model):
    """A model that answers as an adapted one, without what only training needs.

    Args:
        model: a model, adapted or not.

    Returns:
        A model of the same class: prefixes that layers make are the weights that these
        made; `model` itself if there is none such.
    """
    projected = {
        name: stack.prefix
        for name, stack in stacks_of(model).items()
        if stack.prefix is not None and stack.prefix.projection
    }
    if not projected:
        return model
    config = model.get_config()
    for name in projected:
        _stack_config(config, name)["adaptation"]["projection"] = False
    made = remade(model, config)
    for name, prefix in projected.items():
        own = getattr(made, name).prefix
        for weight, value in zip((own.keys, own.values), prefix.folded(), strict=True):
            weight.assign(ops.convert_to_numpy(value))
    return made


def update_of(projection):
    """What the update of a projection adds to its kernel, float32 of that shape."""
    update = projection.low_rank
    a, b = (
        np.asarray(ops.convert_to_numpy(w), "float64") for w in (update.a, update.b)
    )
    return (update.scale * np.tensordot(a, b, axes=1)).astype("float32")


def stacks_of(model):
    """The stacks of a model by name."""
    return {name: stack for name in STACKS if (stack := getattr(model, name, None))}


def is_adapted(model):
    """Whether a stack of the model is adapted."""
    return any(stack.adaptation is not None for stack in stacks_of(model).values())


def own_weights(model):
    """The weights that an adapted model has beside those of its base, by path.

    They are what is trained of adapted stacks, and all that stands outside of these.
    Counters of dropout are no weights.
    """
    held = set()
    for stack in stacks_of(model).values():
        if stack.adaptation is None:
            continue
        for weight in stack.weights:
            below = weight.path.removeprefix(f"{stack.path}/")
            if not stack.adaptation.trains(below):
                held.add(weight.path)
    return {
        weight.path: weight
        for weight in model.weights
        if weight.path not in held and weight.name != "state"
    }


def remade(model, config):
    """A model of another config with the weights of `model` where it has their like.

    Weights that `model` lacks are drawn if they are an adaptation's, and else zero.
    """
    with drawn_from(lambda path, shape: None):
        made = type(model).from_config(config)
    theirs = {weight.path: weight for weight in model.weights}
    for weight in made.weights:
        if weight.path in theirs:
            weight.assign(ops.convert_to_numpy(theirs[weight.path]))
    for name in CARRIED:
        value = getattr(model, name, None)
        if value is not None:
            setattr(made, name, value)
    return made


def _stack_config(config, name):
    return config[name]["config"]


def _check(adaptation, stacks):
    """Refuse targets that fit nothing, and updates larger than what they update."""
    every = dict(pair for stack in stacks.values() for pair in projections(stack))
    for name in getattr(adaptation, "targets", ()):
        if not any(found(path.split("/"), name) for path in every):
            names = list(dict.fromkeys(".".join(path.split("/")[2:]) for path in every))
            raise ValueError(
                f"No projection of the model is a target {name!r}; there are "
                f"{', '.join(names)}, in the blocks of {' and '.join(stacks)}. "
                f"Received: targets={list(adaptation.targets)}"
            )
    for path, projection in every.items():
        if adaptation.method == "lora" and adaptation.wants(path):
            outputs = math.prod(projection.output_dims)
            most = min(outputs, math.prod(projection.kernel.shape) // outputs)
            if adaptation.rank > most:
                raise ValueError(
                    f"`rank` must be at most {most}, the smaller side of "
                    f"{path.replace('/', '.')}. Received: rank={adaptation.rank}"
                )
