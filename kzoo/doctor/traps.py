"""What Keras does that kzoo works around: asked, since a new version may differ."""

import json
import zipfile

import keras
import numpy as np
from keras import ops

from kzoo.doctor.checks import Check, attempt, raises
from kzoo.doctor.promises import small_model
from kzoo.training import backend


def mask_and_bias(folder):
    tensor = ops.ones((1, 2, 1, 4))
    mask, bias = ops.ones((1, 1, 2, 2), dtype="bool"), ops.zeros((1, 1, 2, 2))
    result = attempt(
        lambda: ops.dot_product_attention(tensor, tensor, tensor, bias=bias, mask=mask)
    )
    return raises(result, ("torch",), backend.name())


def keras_attention_sees_nothing(folder):
    keras.utils.set_random_seed(7)
    layer = keras.layers.MultiHeadAttention(1, 4, use_bias=False)
    x = ops.ones((1, 2, 4))
    mask = np.array([[[1, 1], [0, 0]]], bool)
    fused = ops.convert_to_numpy(layer(x, x, attention_mask=mask))
    manual, _ = layer(x, x, attention_mask=mask, return_attention_scores=True)
    manual = ops.convert_to_numpy(manual)
    words = ["zeros" if not y[0, 1].any() else "no zeros" for y in (fused, manual)]
    found = f"{words[0]} by its fused path, {words[1]} by the other"
    return words == ["no zeros", "zeros"], found


class Hasty(keras.Model):
    """Sets a layer before its constructor ran."""

    def __init__(self):
        self.inner = keras.layers.Dense(1)
        super().__init__()


def attribute_before_init(folder):
    return raises(attempt(Hasty), ("torch",), backend.name())


class Unregistered(keras.layers.Layer):
    """A layer that Keras was not told about."""

    def call(self, inputs):
        return inputs


def unregistered_class(folder):
    inputs = keras.Input((2,))
    keras.Model(inputs, Unregistered()(inputs)).save(folder / "model.keras")
    result = attempt(lambda: keras.saving.load_model(folder / "model.keras"))
    return raises(result, (backend.name(),), backend.name())


def negative_labels(folder):
    labels, logits = np.array([0, -100]), np.zeros((2, 3), "float32")
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    result = attempt(lambda: float(loss(labels, logits)))
    # TensorFlow and PyTorch check on a CPU; JAX never does.
    raised = isinstance(result, Exception)
    right = not raised and abs(result - np.log(3)) < 1e-6
    found = "raises" if raised else f"a mean of {result:.2f}"
    return not right, found


def accuracy_of_ignored(folder):
    metric = keras.metrics.SparseCategoricalAccuracy()
    metric.update_state(np.array([[0, -100]]), np.array([[[1.0, 0.0], [1.0, 0.0]]]))
    found = float(metric.result())
    return abs(found - 0.5) < 1e-6, f"counted, accuracy {found:.1f}"


def label_smoothing(folder):
    loss = keras.losses.SparseCategoricalCrossentropy
    result = attempt(lambda: loss(label_smoothing=0.1))
    return isinstance(result, TypeError), "no" if isinstance(
        result, TypeError
    ) else "yes"


def foreign_ids(folder):
    if backend.device() != "cpu":
        return True, "not asked on a GPU, where it may end the process"
    layer = keras.layers.Embedding(4, 2)
    result = attempt(lambda: ops.convert_to_numpy(layer(np.array([[9]], "int32"))))
    return raises(result, ("tensorflow", "torch"), backend.name())


def clones_without_assets(folder):
    model = keras.models.clone_model(small_model())
    lost = getattr(model, "tokenizer", None) is None
    return lost, "lost" if lost else "kept"


def optimizer_of_one_backend(folder):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.save(folder / "model.keras")
    with zipfile.ZipFile(folder / "model.keras") as archive:
        config = json.loads(archive.read("config.json"))
    module = config["compile_config"]["optimizer"]["module"]
    return ("torch" in module) == (backend.name() == "torch"), module


TRAPS = {
    "attention with mask and bias": Check(
        mask_and_bias, "kzoo folds the mask into the bias and needs neither."
    ),
    "Keras' attention where nothing is seen": Check(
        keras_attention_sees_nothing, "kzoo's own attention gives zeros in any case."
    ),
    "a layer set before the constructor ran": Check(
        attribute_before_init, "kzoo sets its layers afterwards, which is always right."
    ),
    "loading a class that is not registered": Check(
        unregistered_class,
        "Keras may now run classes that no one registered: load "
        "files of others with kzoo.load_model.",
    ),
    "the loss of labels -100": Check(
        negative_labels, "kzoo checks labels in NumPy, before the device."
    ),
    "the accuracy of labels -100": Check(
        accuracy_of_ignored, "kzoo measures with scikit-learn."
    ),
    "label smoothing of integer labels": Check(
        label_smoothing, "kzoo's own loss has it in any case."
    ),
    "token ids past the vocabulary": Check(
        foreign_ids, "kzoo checks ids in NumPy, before the device."
    ),
    "tokenizer and labels of a cloned model": Check(
        clones_without_assets, "kzoo does not clone models."
    ),
    "the optimizer in a saved model": Check(
        optimizer_of_one_backend, "kzoo saves models without an optimizer."
    ),
}
