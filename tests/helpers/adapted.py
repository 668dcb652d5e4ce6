"""Small models to adapt, and questions to ask of them."""

import numpy as np
from keras import ops

import kzoo

SIZES = (50, 2, 4, 16, 20)


def classifier(**encoder):
    kzoo.set_seed(1)
    stack = kzoo.layers.TransformerEncoder(*SIZES, name="encoder", **encoder)
    return kzoo.TextClassifier(stack, 3, sequence_length=16)


def writer():
    kzoo.set_seed(1)
    stacks = (
        kzoo.layers.TransformerEncoder(*SIZES, name="encoder", position="relative"),
        kzoo.layers.TransformerDecoder(
            *SIZES, name="decoder", position="relative", feed_forward="swiglu"
        ),
    )
    return kzoo.Seq2Seq(*stacks, start_id=1, end_id=2)


def questions(model):
    """Inputs of a model, some of them padded."""
    rng = np.random.default_rng(0)
    return {
        name: rng.integers(1, 50, (3, 7)).astype("int32")
        if tensor.dtype == "int32"
        else np.arange(7) < np.array([[7], [3], [5]])
        for name, tensor in model.input.items()
    }


def answers(model, training=False):
    return ops.convert_to_numpy(model(questions(model), training=training))


def inferred(model):
    """The same where no gradient is recorded: PyTorch rounds otherwise where one is."""
    return model.predict_on_batch(questions(model))


def shaken(model):
    """The model with other numbers in all that is trained."""
    rng = np.random.default_rng(2)
    for weight in model.trainable_weights:
        weight.assign(ops.convert_to_numpy(weight) + rng.normal(0, 0.3, weight.shape))
    return model
