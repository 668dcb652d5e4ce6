"""From a list of names to weights in place, and back: nothing is left over unseen."""

import difflib
import fnmatch
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from keras import ops
from kzoo_recipes import KzooError

from kzoo.interop.names.forms import SAME, Form
from kzoo.interop.names.spelling import spelled


@dataclass(frozen=True)
class Name:
    """One weight, here and there.

    Attributes:
        ours: str, the weight's path below the model, such as
            "encoder/block_0/attention/query/kernel"; or a tuple of them.
        theirs: str, the tensor's plain name (see `spelling.plain`), such as
            "encoder.layer.0.attention.self.query.weight"; or a tuple of them.
        form: `Form`, how one becomes the other.
        copies: tuple of str. Plain names of tensors that some files hold besides and
            that must be equal to theirs, as the output of a tied embedding.
    """

    ours: str | tuple
    theirs: str | tuple
    form: Form = SAME
    copies: tuple = ()

    @property
    def all_ours(self):
        return (self.ours,) if isinstance(self.ours, str) else self.ours

    @property
    def all_theirs(self):
        return (self.theirs,) if isinstance(self.theirs, str) else self.theirs


@dataclass(frozen=True)
class NameMap:
    """The names of one family.

    Attributes:
        names: function of config (dict) and head (str, a key of
            `kzoo.interop.hugging_face.TASKS`) to a list of `Name`, all weights of the
            model of that head.
        prefixes: tuple of str, before the base model's names, such as `("bert.",)`.
            When a model with a head is written, the first one is put back.
        unprefixed: tuple of patterns: what stands beside the base model in a file.
        aside: dict from patterns of plain names to what those tensors are: they may be
            in a checkpoint without being read, and a note says so.
    """

    names: object
    prefixes: tuple = ()
    unprefixed: tuple = ()
    aside: dict = field(default_factory=dict)


def weights_of(model):
    """The weights of a model by their paths below it; steps of dropout are none.

    Its encoder and decoder are called so, whatever their own names are. An encoder by
    itself has paths below "encoder" likewise.

    Args:
        model: built model or encoder.

    Returns:
        dict from path, such as "encoder/block_0/attention/query/kernel", to variable.
    """
    stacks = {
        part.path: role
        for role in ("encoder", "decoder")
        if (part := getattr(model, role, None)) is not None
    } or {model.path: "encoder"}
    found = {}
    for weight in model.weights:
        if weight.name == "state":
            continue
        path = weight.path
        for own, role in stacks.items():
            if path.startswith(f"{own}/"):
                path = f"{role}/{path.removeprefix(f'{own}/')}"
        found[path] = weight
    return found


def read_into(model, checkpoint, name_map, names, fresh=()):
    """Put the tensors of a checkpoint into the weights of a model, one at a time.

    Args:
        model: built model or encoder.
        checkpoint: `Checkpoint`.
        name_map: `NameMap`.
        names: list of `Name`, every weight of the model.
        fresh: tuple of patterns of our paths. Weights that may keep their initial
            values where the checkpoint has none of them, such as a new head.

    Returns:
        list of str: notes, sentences on what was not read and what begins anew.

    Raises:
        ValueError: if the names are not those of the model's weights.
        KzooError: if a tensor is missing, has another shape than its weight, is not
            finite, or is of no use and not known to be; naming both sides.
    """
    weights = weights_of(model)
    _require_all(weights, names)
    stored = spelled(checkpoint, name_map.prefixes)
    new = _beginning_anew(names, stored, fresh)
    for name in names:
        if name not in new:
            _assign(weights, name, checkpoint, stored)
    used = {t for name in names for t in (*name.all_theirs, *name.copies)}
    notes = _left_aside(checkpoint, name_map, stored, used)
    if new:
        paths = [path for name in new for path in name.all_ours]
        notes.append(
            f"{checkpoint.folder}: not in the checkpoint, so new and to be trained: "
            f"{_listed(paths)}."
        )
    return notes


def written(model, names):
    """The weights of a model as their tensors, by plain names.

    Args:
        model: built model or encoder.
        names: list of `Name`, every weight of the model.

    Returns:
        dict from str to float32 arrays.

    Raises:
        ValueError: if the names are not those of the model's weights, or one of them
            has no way back.
    """
    weights = weights_of(model)
    _require_all(weights, names)
    tensors = {}
    for name in names:
        if name.form.write is None:
            raise ValueError(f"There is no way back. Received: {name.ours}")
        ours = [ops.convert_to_numpy(weights[path]) for path in name.all_ours]
        theirs = name.form.write(*ours)
        theirs = theirs if isinstance(theirs, tuple) else (theirs,)
        tensors |= dict(zip(name.all_theirs, theirs, strict=True))
    return tensors


def _require_all(weights, names):
    named = Counter(path for name in names for path in name.all_ours)
    wrong = {
        "named twice": {path for path, times in named.items() if times > 1},
        "not named": weights.keys() - set(named),
        "not of the model": set(named) - weights.keys(),
    }
    for what, paths in wrong.items():
        if paths:
            raise ValueError(
                f"A list of names has each weight of the model once. "
                f"Received: {what}: {', '.join(sorted(paths))}"
            )


def _beginning_anew(names, stored, fresh):
    """Those names whose weights may and do begin anew: a group of them, or none."""
    group = [
        name
        for name in names
        if any(fnmatch.fnmatchcase(name.all_ours[0], pattern) for pattern in fresh)
    ]
    there = [name for name in group if any(t in stored for t in name.all_theirs)]
    return [] if there else group


def _assign(weights, name, checkpoint, stored):
    for theirs in name.all_theirs:
        if theirs not in stored:
            raise KzooError(
                f"{checkpoint.folder}: kzoo's weight {name.all_ours[0]} is the tensor "
                f"`{theirs}`, which the checkpoint does not hold."
                f"{_near(theirs, stored)}"
            )
    theirs = [checkpoint.read(stored[t]) for t in name.all_theirs]
    for copy in name.copies:
        if copy in stored:
            _require_equal(checkpoint, stored, name, copy, theirs[0])
    said = ", ".join(
        f"`{stored[t]}` of shape {checkpoint.shape(stored[t])}" for t in name.all_theirs
    )
    try:
        ours = name.form.read(*theirs)
    except ValueError:
        ours = None
    ours = ours if isinstance(ours, tuple) else (ours,)
    for path, value in zip(name.all_ours, ours, strict=False):
        shape = tuple(weights[path].shape)
        if value is None or value.shape != shape:
            raise KzooError(
                f"{checkpoint.where(stored[name.all_theirs[0]])}: kzoo's weight {path} "
                f"of shape {shape} cannot be {said}; config.json and the weights are "
                "not of one model."
            )
        if not np.isfinite(value).all():
            raise KzooError(
                f"{checkpoint.where(stored[name.all_theirs[0]])}: {said} holds numbers "
                "that are not finite; a model with such weights answers nothing."
            )
        # A copy: JAX would keep the array itself, and with it the file.
        weights[path].assign(np.array(value, "float32", order="C"))


def _require_equal(checkpoint, stored, name, copy, theirs):
    other = checkpoint.read(stored[copy])
    if other.shape != theirs.shape or not np.array_equal(other, theirs):
        raise KzooError(
            f"{checkpoint.folder}: `{stored[copy]}` and `{stored[name.all_theirs[0]]}` "
            f"are both kzoo's weight {name.all_ours[0]}, but they are not equal."
        )


def _left_aside(checkpoint, name_map, stored, used):
    """Notes on the tensors that no weight reads; an error if one is not known."""
    kinds = {}
    for plain, full in stored.items():
        if plain in used:
            continue
        for pattern, what in name_map.aside.items():
            if fnmatch.fnmatchcase(plain, pattern):
                kinds.setdefault(what, []).append(full)
                break
        else:
            raise KzooError(
                f"{checkpoint.where(full)}: no weight of kzoo's model is the tensor "
                f"`{full}` of shape {checkpoint.shape(full)}.{_near(plain, used)}"
            )
    return [
        f"{checkpoint.folder}: not read: {what} ({_listed(names)})."
        for what, names in kinds.items()
    ]


def _listed(names, most=3):
    """The first few names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"`{name}`" for name in names[:most]) + more


def _near(name, others):
    close = difflib.get_close_matches(name, list(others), n=1)
    return f" The nearest is `{close[0]}`." if close else ""
