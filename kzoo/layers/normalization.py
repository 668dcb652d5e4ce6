"""Layer norm and RMS norm: a thin choice over Keras' own layers."""

import keras

from kzoo.layers.parts import part

NORMS = {
    "layer_norm": lambda: keras.layers.LayerNormalization(epsilon=1e-5),
    "rms_norm": lambda: keras.layers.RMSNormalization(epsilon=1e-6),
}


def norm_part(norm):
    """Return the normalisation that `norm` names.

    Args:
        norm: a key of `NORMS`, or a Keras layer that normalises the last axis and
            serves as the pattern for every place that needs one.

    Returns:
        A Keras layer, not built.
    """
    return part(norm, NORMS, "norm")
