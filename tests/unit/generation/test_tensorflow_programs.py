"""What XLA makes of a step: one program, whatever the step's number."""

import keras
import numpy as np
import pytest
from helpers.writers import Writer, sources

from kzoo.generation.decoder import Decoder

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow",
    reason="only TensorFlow compiles anew without tracing anew",
)


@pytest.mark.parametrize("position", ["relative", "rotary"])
def test_the_number_of_a_step_is_no_constant_of_its_program(position):
    import tensorflow as tf

    decoder = Decoder(Writer(position))
    run = decoder.begin(*sources(), beams=2, length=8, candidates=2)
    tokens = tf.zeros(run.shape, "int32")

    def program(time):
        ir = decoder.programs._step.experimental_get_compiler_ir(
            tokens,
            tf.constant(time),
            run.cache,
            run.memory,
            tf.convert_to_tensor(np.minimum(run.ancestry, time)),
            run.candidates,
            run.kind,
        )
        return ir(stage="hlo")

    assert program(1) == program(5)
