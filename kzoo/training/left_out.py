"""Weights that an adapted run does not train: its base has them, no checkpoint does."""

import functools
import hashlib

import numpy as np
from kzoo_recipes import KzooError

from kzoo.tasks.adapting import adapter_weights
from kzoo.training.manifest import LEFT_OUT
from kzoo.training.steppers.variables import neutral_names


class LeftOut:
    """What the checkpoints of a run leave out, and what they say of it.

    Args:
        setup: `Setup` of the run, its stepper with the weights of the base.
    """

    def __init__(self, setup):
        self.stepper, self.base = setup.stepper, setup.recipe.model.pretrained
        self.names = ()
        if setup.recipe.adaptation is not None:
            name = neutral_names(setup.model.weights)
            own = adapter_weights(setup.recipe, setup.model, setup.prepared)
            self.names = sorted(
                name(weight.path)
                for weight in setup.model.weights
                if weight.path not in own
                and not weight.trainable
                and weight.name != "state"  # Of dropout, which counts steps.
            )

    def without(self, state):
        """A state less what is left out, of which a manifest says `facts`."""
        names = set(self.names)
        return {name: value for name, value in state.items() if name not in names}

    @functools.cached_property
    def facts(self):
        """What a manifest says, as JSON takes it: a dict; empty if it is nothing."""
        if not self.names:
            return {}
        return {LEFT_OUT: facts_of(self._held())}

    def completed(self, state, manifest, file):
        """A checkpoint's state with what it leaves out, which the base has brought.

        Args:
            state: dict of arrays.
            manifest: dict, of the checkpoint.
            file: `Path` of it, which errors name.

        Raises:
            KzooError: if the base has brought other weights than the run began with.
        """
        told = manifest.get(LEFT_OUT)
        if told is None:
            return state
        held = self._held()
        if facts_of(held) != told:
            raise KzooError(
                f"{file}: the weights of {self.base} are not those that this run was "
                "trained beside: put them back as they were, or train anew, with "
                "--force."
            )
        return {**state, **held}

    def _held(self):
        state = self.stepper.state()
        return {name: state[name] for name in self.names}


def facts_of(held):
    """How many weights these are, and their SHA-256: names, shapes and values."""
    digest = hashlib.sha256()
    for name, value in held.items():
        digest.update(f"{name} {value.dtype} {value.shape}\n".encode())
        digest.update(np.ascontiguousarray(value).data)
    return {"weights": len(held), "sha256": digest.hexdigest()}
