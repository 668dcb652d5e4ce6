"""Small models of keras-hub with weights that all count, and what they answer."""

import numpy as np
import pytest
from keras import ops

keras_hub = pytest.importorskip("keras_hub", reason="it is what kzoo reads")

SIZES = {
    "vocabulary_size": 30,
    "num_layers": 2,
    "num_heads": 2,
    "hidden_dim": 12,
    "intermediate_dim": 20,
    "max_sequence_length": 10,
}


def stirred(model, seed=0):
    """Give each weight of a model a value of its own.

    Returns:
        The model.
    """
    rng = np.random.default_rng(seed)
    for weight in model.weights:
        size = 0.2 if len(weight.shape) == 1 else 0.5 * weight.shape[-1] ** -0.5
        value = ops.convert_to_numpy(weight) + size * rng.normal(size=weight.shape)
        weight.assign(value.astype("float32"))
    return model


def backbone(kind, seed=0, **more):
    """A backbone of keras-hub.

    Args:
        kind: str, such as "Bert".
        seed: int.
        **more: of its constructor, over `SIZES`.
    """
    made = getattr(keras_hub.models, f"{kind}Backbone")
    return stirred(made(**{**SIZES, **more}), seed)


def asked(token_ids, mask, segments=False):
    """The inputs of a model of keras-hub."""
    inputs = {"token_ids": token_ids, "padding_mask": mask.astype("int32")}
    if segments:
        inputs["segment_ids"] = np.cumsum(token_ids == 5, axis=1) % 2
    return inputs


def said(model, inputs):
    """What a model of keras-hub answers, as NumPy."""
    given = {tensor.name: 0 for tensor in model.inputs}
    zeros = np.zeros_like(inputs["token_ids"])
    answer = model({name: inputs.get(name, zeros) for name in given})
    if isinstance(answer, dict):
        answer = answer["sequence_output"]
    return ops.convert_to_numpy(answer)
