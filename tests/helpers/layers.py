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
