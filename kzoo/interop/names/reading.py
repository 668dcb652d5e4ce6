"""From the tensors of a checkpoint to weights in place; nothing is left over unseen."""

import difflib
import fnmatch

import numpy as np
from kzoo_recipes import KzooError

from kzoo.interop.names.engine import require_all, weights_of
from kzoo.interop.names.spelling import spelled


class Reading:
    """A checkpoint on its way into the weights of a model, one tensor at a time.

    `given` serves `kzoo.layers.seeding.drawn_from`: large weights then begin with their
    values, in memory little above their own. `into` sets all others and sees to it that
    every weight and every tensor is accounted for.

    Args:
        checkpoint: `Checkpoint`.
        name_map: `NameMap`.
        names: list of `Name`, every weight of the model.
        fresh: tuple of patterns of our paths. Weights that keep their initial values
            where the checkpoint has none of a pattern's, such as a new head.
        anew: tuple of patterns of our paths. Weights that keep them in any case.
    """

    def __init__(self, checkpoint, name_map, names, fresh=(), anew=()):
        self.checkpoint, self.name_map, self.names = checkpoint, name_map, names
        self.stored = spelled(checkpoint, name_map.prefixes)
        absent = self._absent(fresh)
        self.new = [name for name in names if name in absent or _matches(name, anew)]
        self.taken = [name for name in names if name not in self.new]
        self._by_path = {
            name.ours: name for name in self.taken if isinstance(name.ours, str)
        }
        self._given = set()

    def given(self, path, shape):
        """The values of the weight at `path`, or `None` if it is not a tensor's own."""
        if path not in self._by_path:
            return None
        name = self._by_path[path]
        [value] = self._values(name, [shape])
        self._given.add(name)
        return value

    def into(self, model):
        """Set the weights of a model that were not given.

        Args:
            model: built model or encoder.

        Returns:
            list of str: sentences on what was not read and what begins anew.

        Raises:
            ValueError: if the names are not those of the model's weights.
            KzooError: if a tensor is missing, has another shape than its weight, is not
                finite, or is of no use and not known to be; naming both sides.
        """
        self.place(model)
        return [*self.left_aside(), *self.begun_anew()]

    @property
    def paths(self):
        """Our paths of the weights that the checkpoint gives, list of str."""
        return [path for name in self.taken for path in name.all_ours]

    def place(self, model):
        """Set the weights of a model, see `into`, and say nothing."""
        weights = weights_of(model)
        require_all(weights, self.names)
        for name in self.taken:
            if name not in self._given:
                shapes = [tuple(weights[path].shape) for path in name.all_ours]
                values = self._values(name, shapes)
                for path, value in zip(name.all_ours, values, strict=True):
                    weights[path].assign(value)

    def _absent(self, patterns):
        """The names of those patterns of which the checkpoint has nothing at all."""
        found = []
        for pattern in patterns:
            group = [name for name in self.names if _matches(name, (pattern,))]
            if not any(t in self.stored for name in group for t in name.all_theirs):
                found += group
        return found

    def _values(self, name, shapes):
        """What the tensors of a name are in kzoo, one array for each of ours."""
        for theirs in name.all_theirs:
            if theirs not in self.stored:
                raise KzooError(
                    f"{self.checkpoint.folder}: kzoo's weight {name.all_ours[0]} is "
                    f"the tensor `{theirs}`, which the checkpoint does not hold."
                    f"{_near(theirs, self.stored)}"
                )
            if not self.checkpoint.is_float(self.stored[theirs]):
                raise KzooError(
                    f"{self._file(name)}: kzoo's weight {name.all_ours[0]} is the "
                    f"tensor `{self.stored[theirs]}`, which is not stored as floats; "
                    "the checkpoint is quantized: take the one that it was made of."
                )
        theirs = [self.checkpoint.read(self.stored[t]) for t in name.all_theirs]
        for copy in name.copies:
            if copy in self.stored:
                self._require_equal(name, copy, theirs[0])
        try:
            ours = name.form.read(*theirs)
        except ValueError:  # NumPy cannot cut them so.
            ours = None
        ours = ours if isinstance(ours, tuple) else (ours,)
        for path, value, shape in zip(name.all_ours, ours, shapes, strict=False):
            if value is None or value.shape != shape:
                raise KzooError(
                    f"{self._file(name)}: kzoo's weight {path} of shape {shape} cannot "
                    f"be {self._said(name)}; config.json and the weights are not of "
                    "one model."
                )
            if not np.isfinite(value).all():
                raise KzooError(
                    f"{self._file(name)}: {self._said(name)} holds numbers that are "
                    "not finite; a model with such weights answers nothing."
                )
        # Copies: JAX would keep the array itself, and with it the file.
        return [np.array(value, "float32", order="C") for value in ours]

    def _require_equal(self, name, copy, theirs):
        own, other = self.stored[name.all_theirs[0]], self.stored[copy]
        values = self.checkpoint.read(other)
        if values.shape != theirs.shape or not np.array_equal(values, theirs):
            raise KzooError(
                f"{self.checkpoint.folder}: `{other}` and `{own}` are both kzoo's "
                f"weight {name.all_ours[0]}, but they are not equal."
            )

    def _file(self, name):
        return self.checkpoint.where(self.stored[name.all_theirs[0]])

    def _said(self, name):
        return ", ".join(
            f"`{self.stored[t]}` of shape {self.checkpoint.shape(self.stored[t])}"
            for t in name.all_theirs
        )

    def left_aside(self):
        """Notes on the tensors that no weight reads, list of str.

        Raises:
            KzooError: if it is not known of one what it is.
        """
        used = {t for name in self.taken for t in (*name.all_theirs, *name.copies)}
        kinds = {}
        for plain, full in self.stored.items():
            if plain in used:
                continue
            what = self.name_map.is_aside(plain)
            if what is None:
                raise KzooError(
                    f"{self.checkpoint.where(full)}: no weight of kzoo's model is the "
                    f"tensor `{full}` of shape {self.checkpoint.shape(full)}."
                    f"{_near(plain, used)}"
                )
            kinds.setdefault(what, []).append(full)
        return [
            f"{self.checkpoint.folder}: not read: {what} ({_listed(names)})."
            for what, names in kinds.items()
        ]

    def begun_anew(self):
        """A note on the weights that keep their initial values, in a list, if any."""
        paths = [path for name in self.new for path in name.all_ours]
        if not paths:
            return []
        folder = self.checkpoint.folder
        return [f"{folder}: new, and to be trained: {_listed(paths)}."]


def read_into(model, checkpoint, name_map, names, fresh=(), anew=()):
    """Put the tensors of a checkpoint into the weights of a model that is built.

    Args:
        model: model or encoder.
        checkpoint: `Checkpoint`.
        name_map: `NameMap`.
        names: list of `Name`, every weight of the model.
        fresh: tuple of patterns, see `Reading`.
        anew: tuple of patterns, see `Reading`.

    Returns:
        list of str: sentences on what was not read and what begins anew.

    Raises:
        KzooError: see `Reading.into`.
    """
    return Reading(checkpoint, name_map, names, fresh, anew).into(model)


def _matches(name, patterns):
    return any(fnmatch.fnmatchcase(name.all_ours[0], pattern) for pattern in patterns)


def _listed(names, most=3):
    """The first few names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"`{name}`" for name in names[:most]) + more


def _near(name, others):
    close = difflib.get_close_matches(name, list(others), n=1)
    return f" The nearest is `{close[0]}`." if close else ""
