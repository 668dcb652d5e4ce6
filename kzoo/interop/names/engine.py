"""What one weight is called here and there, and the way from here to there."""

import fnmatch
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from keras import ops
from kzoo_recipes import KzooError

from kzoo.interop.names.forms import SAME, Form


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

    def is_aside(self, plain):
        """What a tensor of this plain name is that is not read, or `None`."""
        for pattern, what in self.aside.items():
            if fnmatch.fnmatchcase(plain, pattern):
                return what
        return None


def weights_of(model):
    """The weights of a model by their paths below it; steps of dropout are none.

    Its stacks are called by what they are to it, whatever their own names are. An
    encoder by itself has paths below "encoder" likewise.

    Args:
        model: built model or encoder.

    Returns:
        dict from path, such as "encoder/block_0/attention/query/kernel", to variable.
    """
    stacks = {
        part.path: role
        for role in ("encoder", "decoder", "text_encoder", "image_encoder")
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
        KzooError: if a weight holds numbers that are not finite.
    """
    weights = weights_of(model)
    require_all(weights, names)
    tensors = {}
    for name in names:
        if name.form.write is None:
            raise ValueError(f"There is no way back. Received: {name.ours}")
        ours = [ops.convert_to_numpy(weights[path]) for path in name.all_ours]
        for path, value in zip(name.all_ours, ours, strict=True):
            if not np.isfinite(value).all():
                raise KzooError(
                    f"The model's weight {path} holds numbers that are not finite, so "
                    "it answers nothing; train it anew, at a lower rate."
                )
        theirs = name.form.write(*ours)
        theirs = theirs if isinstance(theirs, tuple) else (theirs,)
        tensors |= dict(zip(name.all_theirs, theirs, strict=True))
    return tensors


def require_all(weights, names):
    """Raise a `ValueError` unless names and weights are each other's, once each."""
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
