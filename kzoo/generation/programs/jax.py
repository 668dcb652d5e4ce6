"""JAX: two jitted pure functions; the cache's buffers are donated to the step."""

import jax
import keras
import numpy as np

from kzoo.generation.programs import functions


class Programs:
    """See `kzoo.generation.programs`. Weights are arguments of every program."""

    compiled = True

    def __init__(self, model):
        self.model = model
        self.variables = list(model.weights)
        self.compilations = 0
        self._read = jax.jit(self._read_program, static_argnums=(3, 4))
        self._step = jax.jit(
            self._step_program, static_argnums=(6, 7), donate_argnums=(3,)
        )

    def _with(self, weights, function, *arguments):
        self.compilations += 1  # Runs while tracing only.
        mapping = zip(self.variables, weights, strict=True)
        scope = keras.StatelessScope(state_mapping=list(mapping))
        with scope, jax.default_matmul_precision("highest"):
            return function(self.model, *arguments)

    def _read_program(self, weights, token_ids, padding_mask, beams, length):
        return self._with(
            weights, functions.read, token_ids, padding_mask, beams, length
        )

    def _step_program(
        self, weights, tokens, time, cache, memory, ancestry, count, kind
    ):
        scores, cache = self._with(
            weights, functions.score, tokens, time, cache, memory, ancestry
        )
        return functions.best(scores, count, kind), cache

    def read(self, token_ids, padding_mask, beams, length):
        weights = [variable.value for variable in self.variables]
        memory, cache = self._read(weights, token_ids, padding_mask, beams, length)
        return (weights, memory), cache

    def step(self, tokens, time, cache, memory, ancestry, count, kind):
        weights, memory = memory
        found, cache = self._step(
            weights, tokens, np.int32(time), cache, memory, ancestry, count, kind
        )
        return jax.tree.map(np.asarray, found), cache
