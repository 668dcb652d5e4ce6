"""A model's variables, listed once, and their names in a neutral state."""

import re

import numpy as np

FIRST = "optimizer/first_moment/"
SECOND = "optimizer/second_moment/"
STEP = "optimizer/step"
AVERAGE = "ema/"


class Variables:
    """The Keras variables of a model, by the part they play in a step.

    Attributes:
        trainable: list. What the optimizer moves.
        other: list. What is not: counters, which a step advances, and frozen weights.
        paths: list of str. Unique name of each trainable variable.
        other_paths: list of str or `None`. `None` for the seed generators of
            foreign layers, which no state holds.
        manners: list of `kzoo.training.optimizer.Manner`, how the optimizer moves each
            trainable one; empty without an optimizer.
    """

    def __init__(self, model, optimizer=None):
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
        self.manners = [
            optimizer.manner(path, v.shape)
            for path, v in zip(self.paths, self.trainable, strict=True)
            if optimizer is not None
        ]
        named = [path for path in self.paths + self.other_paths if path is not None]
        twice = sorted({path for path in named if named.count(path) > 1})
        if twice:
            raise ValueError(
                f"Every weight needs a path of its own. Received: twice={twice}"
            )

    def pack(self, trainable, other, moments, averages, step):
        """Arrays of a stepper as one neutral dict of numpy copies.

        Args:
            trainable: list of arrays.
            other: list of arrays.
            moments: pair of lists of arrays, or `None` without an optimizer.
            averages: list of arrays, or `None` without a moving average.
            step: int. Updates made so far.
        """
        state = dict(zip(self.paths, trainable, strict=True))
        state |= dict(zip(self.other_paths, other, strict=True))
        state.pop(None, None)
        if moments is not None:
            state |= self._named(FIRST, moments[0]) | self._named(SECOND, moments[1])
            state[STEP] = np.int64(step)
        if averages is not None:
            state |= self._named(AVERAGE, averages)
        return {name: np.array(value) for name, value in state.items()}

    def unpack(self, state, other, moments, averages):
        """The inverse of `pack`, after checking names and shapes.

        Whoever wants no moments only predicts, and gets the averages of the weights,
        where the state holds them, in their place.

        Args:
            state: dict, from `pack`.
            other: list of arrays. Current values, kept where `state` has none.
            moments: bool. Whether optimizer slots are wanted.
            averages: bool. Whether the moving average is wanted.

        Returns:
            `trainable`, `other`, `moments`, `averages` and `step` as `pack` takes them.
        """
        names = [*self.paths, *filter(None, self.other_paths)]
        variables = self.trainable + self.other
        paths = self.paths + self.other_paths
        shapes = {p: tuple(v.shape) for p, v in zip(paths, variables, strict=True)}
        prefixes = [FIRST, SECOND] * moments + [AVERAGE] * averages
        for prefix in prefixes:
            names += [prefix + path for path in self.paths]
            shapes |= {prefix + path: shapes[path] for path in self.paths}
        if moments:
            names.append(STEP)
        else:
            averaged = {
                n.removeprefix(AVERAGE): v
                for n, v in state.items()
                if n.startswith(AVERAGE)
            }
            state = {n: v for n, v in state.items() if not is_slot(n)} | averaged
        check_names(names, state)
        for name in names:
            expected, found = shapes.get(name, ()), np.shape(state[name])
            if expected != found:
                raise ValueError(
                    f"The weight {name!r} has the shape {expected}. "
                    f"Received: shape={found}"
                )
        slots = [[state[p + path] for path in self.paths] for p in prefixes]
        return (
            [state[path] for path in self.paths],
            [
                old if path is None else state[path]
                for path, old in zip(self.other_paths, other, strict=True)
            ],
            slots[:2] if moments else None,
            slots[-1] if averages else None,
            int(state[STEP]) if moments else 0,
        )

    def _named(self, prefix, values):
        return dict(zip((prefix + p for p in self.paths), values, strict=True))


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
    return name == STEP or name.startswith((FIRST, SECOND, AVERAGE))


def check_names(expected, found):
    missing = sorted(set(expected) - set(found))
    foreign = sorted(set(found) - set(expected))
    if missing or foreign:
        raise ValueError(
            "The state is not this model's. "
            f"Received: missing={missing[:3]}, foreign={foreign[:3]}"
        )


def micro_batches(batch):
    """The batches that make up one update, and whether it was split."""
    parts = getattr(batch, "parts", None)
    return (parts, True) if parts else ([batch], False)
