"""What every layer of a model said, in the order in which they finished."""

import contextlib

import keras
import numpy as np
from keras import ops


@contextlib.contextmanager
def recorded(model):
    """Collect {"path": float array} of every tensor that a layer returns meanwhile.

    A layer that is called twice gets a number behind its path. Only eager calls have
    values to record.
    """
    trace = {}
    layers = [layer for layer in below(model) if not isinstance(layer, keras.Model)]

    def watched(layer, call):
        def watch(*args, **kwargs):
            outputs = call(*args, **kwargs)
            first = outputs[0] if isinstance(outputs, tuple) else outputs
            name = layer.path or layer.name
            count = sum(key.split("#")[0] == name for key in trace)
            name = f"{name}#{count + 1}" if count else name
            trace[name] = np.asarray(ops.convert_to_numpy(ops.cast(first, "float32")))
            return outputs

        return watch

    for layer in layers:
        object.__setattr__(layer, "call", watched(layer, layer.call))
    try:
        yield trace
    finally:
        for layer in layers:
            object.__delattr__(layer, "call")


def below(layer):
    """Every layer inside `layer`, once."""
    found = {}
    for inner in layer._layers:
        found |= {id(inner): inner} | {id(x): x for x in below(inner)}
    return list(found.values())


def first_difference(actual, expected, rtol=1e-5, atol=1e-5):
    """Name the first layer whose output differs, or return `None`.

    Args:
        actual: dict of float arrays, in the order of computation.
        expected: likewise.
        rtol: float. Allowed difference relative to `expected`.
        atol: float. Allowed difference on top.

    Returns:
        A sentence that names the layer and the largest difference, or `None`.
    """
    if list(actual) != list(expected):
        return f"the layers differ: {list(actual)} and {list(expected)}"
    for name, values in expected.items():
        excess = np.abs(actual[name] - values) - rtol * np.abs(values)
        if not np.all(excess <= atol):  # not "any >": NaN differs from everything
            worst = np.abs(actual[name] - values).max()
            return f"first differing activation: {name} (by up to {worst:.2e})"
    return None
