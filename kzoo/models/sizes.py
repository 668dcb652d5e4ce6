"""How large a model is: one figure, wherever it is shown."""

import math


def count_parameters(weights):
    """How many numbers the weights hold that are parameters of the model.

    Those are floats. The integers that count a layer's dropouts are saved with the
    model, but it computes the same without them.

    Args:
        weights: iterable of Keras variables, or of anything with `shape` and `dtype`.

    Returns:
        int. Weights that are not trained count, too.
    """
    return sum(math.prod(w.shape) for w in weights if "float" in str(w.dtype))
