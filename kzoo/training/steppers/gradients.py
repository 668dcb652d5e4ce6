"""Gradients by name, for those who look at them: steppers keep theirs to themselves."""

import keras
import numpy as np
from keras import ops


def gradients(layer, loss, compiled=False):
    """The gradient of `loss()` in every trainable weight of `layer`, outside a step.

    Args:
        layer: built Keras layer or model.
        loss: function without arguments that calls the layer and returns a scalar.
        compiled: bool. Whether JAX compiles the whole, which is quicker once; many
            small layers share what it compiles operation by operation.

    Returns:
        dict from each weight's path to its gradient, numpy, zeros where the loss does
        not use it. Whether counters of dropout move depends on the backend.
    """
    weights = layer.trainable_variables
    values = _GRADIENTS[keras.backend.backend()](layer, weights, loss, compiled)
    return {
        weight.path: np.zeros(weight.shape) if value is None else _array(value)
        for weight, value in zip(weights, values, strict=True)
    }


def _array(value):
    return np.asarray(ops.convert_to_numpy(value))


def _torch(layer, weights, loss, compiled):
    import torch

    with torch.enable_grad():
        return torch.autograd.grad(
            loss(), [weight.value for weight in weights], allow_unused=True
        )


def _tensorflow(layer, weights, loss, compiled):
    import tensorflow as tf

    with tf.GradientTape() as tape:
        value = loss()
    found = tape.gradient(value, [weight.value for weight in weights])
    return [None if g is None else tf.convert_to_tensor(g) for g in found]


def _jax(layer, weights, loss, compiled):
    import jax

    state = layer.non_trainable_variables

    def of(values):
        mapping = [
            *zip(weights, values, strict=True),
            *((variable, variable.value) for variable in state),
        ]
        with keras.StatelessScope(state_mapping=mapping):
            return loss()

    differentiate = jax.jit(jax.grad(of)) if compiled else jax.grad(of)
    return differentiate([weight.value for weight in weights])


_GRADIENTS = {"torch": _torch, "tensorflow": _tensorflow, "jax": _jax}
