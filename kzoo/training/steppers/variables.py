"""A model's variables, listed once, and their names in a neutral state."""

import re

import numpy as np

from kzoo.training.optimizer import decays

FIRST = "optimizer/first_moment/"
SECOND = "optimizer/second_moment/"
STEP = "optimizer/step"


class Variables:
    """The Keras variables of a model, by the part they play in a step.

    Attributes:
        trainable: list. What the optimizer moves.
        other: list. What a step may advance: dropout counters, for one.
        paths: list of str. Unique name of each trainable variable.
        other_paths: list of str or `None`. `None` for the seed generators of
            foreign layers, which no state holds.
        decayed: list of bool. Whether weight decay acts on each trainable one.
    """

    def __init__(self, model):
        if not model.built:
            raise ValueError(f"Build the model first. Received: model={model.name!r}")
        self.trainable = list(model.trainable_variables)
        self.other = list(model.non_trainable_variables)
        weights = {id(weight) for weight in model.weights}
        name = neutral_names(model.weights)
        self.paths = [name(v.path) for v in self.trainable]
        self.other_paths = [
            name(v.path) if id(v) in weights else None for v in self.other
        ]
        self.decayed = [decays(v.path, v.shape) for v in self.trainable]
        named = [path for path in self.paths + self.other_paths if path is not None]
        twice = sorted({path for path in named if named.count(path) > 1})
        if twice:
            raise ValueError(
                f"Every weight needs a path of its own. Received: twice={twice}"
            )

    def pack(self, trainable, other, moments, step):
        """Arrays of a stepper as one neutral dict of numpy copies.

        Args:
            trainable: list of arrays.
            other: list of arrays.
            moments: pair of lists of arrays, or `None` without an optimizer.
            step: int. Updates made so far.
        """
        state = dict(zip(self.paths, trainable, strict=True))
        state |= dict(zip(self.other_paths, other, strict=True))
        state.pop(None, None)
        if moments is not None:
            for prefix, slots in zip((FIRST, SECOND), moments, strict=True):
                names = [prefix + path for path in self.paths]
                state |= dict(zip(names, slots, strict=True))
            state[STEP] = np.int64(step)
        return {name: np.array(value) for name, value in state.items()}

    def unpack(self, state, other, moments):
        """The inverse of `pack`, after checking names and shapes.

        Args:
            state: dict, from `pack`.
            other: list of arrays. Current values, kept where `state` has none.
            moments: bool. Whether optimizer slots are wanted.

        Returns:
            `trainable`, `other`, `moments` and `step` as `pack` takes them.
        """
        names = [*self.paths, *filter(None, self.other_paths)]
        variables = self.trainable + self.other
        paths = self.paths + self.other_paths
        shapes = {p: tuple(v.shape) for p, v in zip(paths, variables, strict=True)}
        if moments:
            for prefix in (FIRST, SECOND):
                names += [prefix + path for path in self.paths]
                shapes |= {prefix + path: shapes[path] for path in self.paths}
            names.append(STEP)
        check_names(names, [n for n in state if moments or not is_slot(n)])
        for name in names:
            expected, found = shapes.get(name, ()), np.shape(state[name])
            if expected != found:
                raise ValueError(
                    f"The weight {name!r} has the shape {expected}. "
                    f"Received: shape={found}"
                )
        slots = [[state[p + path] for path in self.paths] for p in (FIRST, SECOND)]
        return (
            [state[path] for path in self.paths],
            [
                old if path is None else state[path]
                for path, old in zip(self.other_paths, other, strict=True)
            ],
            slots if moments else None,
            int(state[STEP]) if moments else 0,
        )


def neutral_names(weights):
    """A function from a path to the same path in any process.

    Keras numbers layers without a name of their own per process: the first `Dense`
    may be `dense_7`. Here they are numbered anew within the model.
    """
    roots = {}
    for weight in weights:
        root = weight.path.split("/")[0]
        base = re.sub(r"_\d+$", "", root)
        roots.setdefault(base, {}).setdefault(root, len(roots[base]))

    def name(path):
        root, *rest = path.split("/")
        base = re.sub(r"_\d+$", "", root)
        number = roots[base][root]
        return "/".join([f"{base}_{number}" if number else base, *rest])

    return name


def is_slot(name):
    return name == STEP or name.startswith((FIRST, SECOND))


def check_names(expected, found):
    missing = sorted(set(expected) - set(found))
    foreign = sorted(set(found) - set(expected))
    if missing or foreign:
        raise ValueError(
            "The state is not this model's. "
            f"Received: missing={missing[:3]}, foreign={foreign[:3]}"
        )
