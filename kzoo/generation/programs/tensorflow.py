"""TensorFlow: two XLA programs over the model's own variables."""

import tensorflow as tf

from kzoo.generation.programs import functions


class Programs:
    """See `kzoo.generation.programs`. The programs read the variables when they run."""

    compiled = True

    def __init__(self, model):
        self.model = model
        self.compilations = 0
        # Other than by rounding factors to ten bits, a GPU gives the same tokens too.
        tf.config.experimental.enable_tensor_float_32_execution(False)
        self._read = tf.function(self._read_program, jit_compile=True)
        self._step = tf.function(self._step_program, jit_compile=True)

    def _read_program(self, token_ids, padding_mask, beams, length):
        self.compilations += 1  # Runs while tracing only.
        return functions.read(self.model, token_ids, padding_mask, beams, length)

    def _step_program(self, tokens, time, cache, memory, ancestry, count, kind):
        self.compilations += 1
        scores, cache = functions.score(
            self.model, tokens, time, cache, memory, ancestry
        )
        return functions.best(scores, count, kind), cache

    def read(self, token_ids, padding_mask, beams, length):
        arrays = map(tf.convert_to_tensor, (token_ids, padding_mask))
        return self._read(*arrays, beams, length)

    def step(self, tokens, time, cache, memory, ancestry, count, kind):
        tokens, time, ancestry = (
            tf.convert_to_tensor(value, dtype=tf.int32)
            for value in (tokens, time, ancestry)
        )
        (ids, values), cache = self._step(
            tokens, time, cache, memory, ancestry, count, kind
        )
        return (None if ids is None else ids.numpy(), values.numpy()), cache
