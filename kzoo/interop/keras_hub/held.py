"""A model of keras-hub as if it were a checkpoint: names, shapes and arrays."""

import keras
from keras import ops

# What T5's blocks are made of; Keras numbers their norms through the whole process.
T5_PARTS = (
    "self_attention",
    "self_attention_layer_norm",
    "cross_attention",
    "cross_attention_layer_norm",
    "input_projector",
    "gate_projector",
    "output_projector",
    "layer_norm",
)


class Held:
    """The weights of a keras-hub model, to be read as a `Checkpoint` is.

    Args:
        model: a backbone or a task.
        config: dict, what its config.json would say.
        origin: str, what errors call the model.

    Attributes:
        folder: str, `origin`.
        config: dict.
        names: tuple of str, the weights.
    """

    def __init__(self, model, config, origin):
        self.folder = origin
        self.config = config
        self._weights = weights_by_name(model)
        self.names = tuple(self._weights)

    def __contains__(self, name):
        return name in self._weights

    def shape(self, name):
        """The shape of the weight `name`."""
        return tuple(self._weights[name].shape)

    def is_float(self, name):
        """Whether the weight `name` is of numbers as models compute with them."""
        return keras.backend.is_float_dtype(self._weights[name].dtype)

    def where(self, name):
        """What holds the weight `name`."""
        return self.folder

    def read(self, name):
        """The weight `name` as NumPy has it, float32."""
        return ops.convert_to_numpy(ops.cast(self._weights[name], "float32"))


def weights_by_name(model):
    """The weights of a backbone or task of keras-hub, by path.

    Returns:
        dict from str to Keras variables.
    """
    backbone = getattr(model, "backbone", model)
    spelled = {}
    for layer in backbone.layers:
        for name in T5_PARTS if type(layer).__name__ == "T5TransformerLayer" else ():
            part = getattr(layer, name, None)
            for weight in () if part is None else part.weights:
                tail = weight.path.rpartition(f"{part.name}/")[2]
                spelled[id(weight)] = f"{layer.name}/{name}/{tail}"
    return {spelled.get(id(w), w.path): w for w in model.weights}
