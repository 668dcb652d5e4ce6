"""What every layer of a model said, in the order in which they finished."""

import collections
import contextlib

import keras
import numpy as np
from keras import ops


@contextlib.contextmanager
def recorded(model, trace=None):
    """Collect {"path": float32 array} of every tensor that a layer returns meanwhile.

    A layer that is called twice gets a number behind its path, and what returns a dict
    has a path for each of its entries. Only eager calls have values to record.

    Args:
        model: `keras.Model`.
        trace: what takes the arrays by path; `None` makes a dict.
    """
    trace = {} if trace is None else trace
    calls = collections.Counter()
    layers = [layer for layer in below(model) if not isinstance(layer, keras.Model)]

    def watched(layer, call):
        def watch(*args, **kwargs):
            outputs = call(*args, **kwargs)
            first = outputs[0] if isinstance(outputs, tuple) else outputs
            name = layer.path or layer.name
            calls[name] += 1
            name = f"{name}#{calls[name]}" if calls[name] > 1 else name
            several = first if isinstance(first, dict) else {"": first}
            for part, values in several.items():
                values = ops.convert_to_numpy(ops.cast(values, "float32"))
                trace[f"{name}/{part}" if part else name] = np.asarray(values)
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
