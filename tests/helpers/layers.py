"""What tests do to a layer: fill its weights, read them by path, differentiate."""

import keras
import numpy as np
from keras import ops


def fill(layer, seed=0, scale=0.3):
    """Give every float weight random values, biases and norm scales included."""
    rng = np.random.default_rng(seed)
    for weight in layer.weights:
        if "int" in keras.backend.standardize_dtype(weight.dtype):
            continue
        values = rng.normal(0.0, scale, weight.shape)
        if weight.name in ("gamma", "scale"):
            values = 1.0 + values
        weight.assign(values.astype("float32"))
    return layer


def weights_of(layer):
    """Return {path below the layer: float64 array} of all its weights."""
    start = len(layer.path) + 1
    return {
        weight.path[start:]: np.asarray(array(weight.value), "float64")
        for weight in layer.weights
    }


def array(tensor):
    return np.asarray(ops.convert_to_numpy(tensor))


def assert_close(actual, expected, rtol=1e-5, atol=1e-6):
    """Compare with design.md's bound for one layer against float64 NumPy."""
    actual = np.asarray(array(actual), "float64")
    assert actual.shape == np.shape(expected)
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol)


def gradients(layer, loss):
    """Return {weight path: gradient array} of `loss()` on the running backend.

    Args:
        layer: built Keras layer.
        loss: function without arguments that calls the layer and returns a scalar.
    """
    weights = layer.trainable_variables
    values = _GRADIENTS[keras.backend.backend()](layer, weights, loss)
    return {
        weight.path: np.zeros(weight.shape) if value is None else array(value)
        for weight, value in zip(weights, values, strict=True)
    }


def _torch(layer, weights, loss):
    import torch

    with torch.enable_grad():
        return torch.autograd.grad(
            loss(), [weight.value for weight in weights], allow_unused=True
        )


def _tensorflow(layer, weights, loss):
    import tensorflow as tf

    with tf.GradientTape() as tape:
        value = loss()
    found = tape.gradient(value, [weight.value for weight in weights])
    return [None if g is None else tf.convert_to_tensor(g) for g in found]


def _jax(layer, weights, loss):
    import jax

    state = layer.non_trainable_variables

    def of(values):
        mapping = [
            *zip(weights, values, strict=True),
            *((variable, variable.value) for variable in state),
        ]
        with keras.StatelessScope(state_mapping=mapping):
            return loss()

    return jax.grad(of)([weight.value for weight in weights])


_GRADIENTS = {"torch": _torch, "tensorflow": _tensorflow, "jax": _jax}
