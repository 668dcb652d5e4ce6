"""Initial weights and dropout keys that depend on a seed and a weight's path alone.

Keras draws initial weights with the backend's own generator, so one seed gives three
models. kzoo draws them with NumPy: the same seed, the same path, the same weights on
TensorFlow, PyTorch and JAX, in whatever order the layers were built.
"""

import contextlib
import hashlib
import re

import numpy as np
from keras import ops

_seed = 0
_source = None


def set_seed(seed):
    """Set the seed from which layers built from now on draw weights and dropout.

    Args:
        seed: int, 0 or more. Two models built with one seed start equal, on every
            backend. The seed in force when the process starts is 0.

    Raises:
        ValueError: if `seed` is not an int of at least 0.
    """
    global _seed
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ValueError(f"`seed` must be an int of at least 0. Received: seed={seed}")
    _seed = seed


@contextlib.contextmanager
def drawn_from(source):
    """Inside, what would be drawn is taken from `source`: weights that lie in a file.

    Drawing the table of a large vocabulary takes longer than reading it, and several
    times its memory.

    Args:
        source: function of a weight's path and shape to its values, a NumPy array, or
            to `None` for zeros.
    """
    global _source
    before, _source = _source, source
    try:
        yield
    finally:
        _source = before


def _initial(path, name, draw):
    """An initializer for the weight `name` of the layer at `path`.

    Args:
        path: str.
        name: str.
        draw: function of a generator and a shape to a NumPy array.
    """

    def initial(shape, dtype=None):
        if _source is None:
            values = draw(_generator(path, name), shape)
        else:
            values = _source(f"{path}/{name}", tuple(shape))
            values = np.zeros(shape, "float32") if values is None else values
        return ops.convert_to_tensor(values.astype("float32", copy=False), dtype=dtype)

    return initial


def key_of(path, purpose):
    """Return a 64-bit key of the current seed, a layer's path and a purpose.

    The number that Keras appends to a root layer's automatic name counts the layers
    made in this process, so it is left out: building a model twice gives it twice.
    """
    root, *rest = path.split("/")
    stable_path = "/".join([re.sub(r"_\d+$", "", root), *rest])
    text = f"{_seed}:{stable_path}:{purpose}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def _generator(path, purpose):
    return np.random.Generator(np.random.Philox(key_of(path, purpose)))


def glorot_uniform(path, name, fan_in, fan_out):
    """Initialise weight `name` of the layer at `path`, uniform as in Glorot & Bengio.

    Args:
        path: str. `layer.path`, known once the layer is being built.
        name: str. The weight's name in its layer.
        fan_in: int. Number of inputs that one output sums over.
        fan_out: int. Number of outputs that one input reaches.

    Returns:
        An initializer for `layer.add_weight`.

    Reference:
        - [Glorot & Bengio, 2010](https://proceedings.mlr.press/v9/glorot10a.html)
    """
    limit = float(np.sqrt(6.0 / (fan_in + fan_out)))
    return _initial(path, name, lambda rng, shape: rng.uniform(-limit, limit, shape))


def normal(path, name, standard_deviation):
    """Initialise weight `name` of the layer at `path` from a centred normal.

    Args:
        path: str. `layer.path`, known once the layer is being built.
        name: str. The weight's name in its layer.
        standard_deviation: float.

    Returns:
        An initializer for `layer.add_weight`.
    """

    return _initial(
        path, name, lambda rng, shape: rng.normal(0.0, standard_deviation, shape)
    )


def always_uniform(path, name, limit):
    """Initialise weight `name` of the layer at `path`, uniform from -limit to limit.

    It is drawn inside `drawn_from`, too: for what is added to weights of a file.

    Args:
        path: str. `layer.path`, known once the layer is being built.
        name: str. The weight's name in its layer.
        limit: float.

    Returns:
        An initializer for `layer.add_weight`.
    """

    def initial(shape, dtype=None):
        values = _generator(path, name).uniform(-limit, limit, shape)
        return ops.convert_to_tensor(values.astype("float32"), dtype=dtype)

    return initial
