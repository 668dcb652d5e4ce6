"""A small Keras model with a batch to train it on, and nothing of kzoo's layers."""

import types

import keras
import numpy as np
import pytest
from keras import ops

from kzoo.training.losses import make_loss
from kzoo.training.optimizer import AdamW
from kzoo.training.steppers import make_stepper


class Counter(keras.layers.Layer):
    """Counts training calls in an int32 variable, as kzoo's dropout does."""

    def build(self, input_shape=None):
        self.calls = self.add_weight(
            shape=(2,),
            dtype="int32",
            initializer="zeros",
            trainable=False,
            name="calls",
        )

    def call(self, inputs, training=None):
        if training:
            self.calls.assign(self.calls + 1)
        return inputs


def build_model(unused=False, classes=3):
    keras.utils.set_random_seed(7)
    token_ids = keras.Input((None,), dtype="int32", name="token_ids")
    padding_mask = keras.Input((None,), dtype="bool", name="padding_mask")
    hidden = keras.layers.Embedding(20, 8, name="tokens")(token_ids)
    kept = ops.cast(ops.expand_dims(padding_mask, -1), hidden.dtype)
    pooled = ops.sum(hidden * kept, axis=1)
    pooled = Counter(name="counter")(pooled)
    pooled = keras.layers.Dense(8, activation="tanh", name="inner")(pooled)
    logits = keras.layers.Dense(classes, dtype="float32", name="logits")(pooled)
    if unused:
        spare = keras.layers.Dense(classes, use_bias=False, name="spare")(pooled)
        logits = logits + ops.stop_gradient(spare)
    inputs = {"token_ids": token_ids, "padding_mask": padding_mask}
    return keras.Model(inputs, logits)


def build_batch(step=0, rows=6, length=5):
    rng = np.random.default_rng(step)
    token_ids = rng.integers(0, 20, (rows, length), dtype="int32")
    return types.SimpleNamespace(
        inputs={
            "token_ids": token_ids,
            "padding_mask": np.arange(length) < rng.integers(1, length + 1, (rows, 1)),
        },
        labels=(token_ids[:, 0] % 3).astype("int32"),
        weights=np.full(rows, 1 / rows, "float32"),
        rows=np.arange(rows),
        padding_share=0.25,
        examples=rows,
    )


def build_stepper(model=None, average=None, **optimizer):
    loss = make_loss("cross_entropy")
    return make_stepper(model or build_model(), loss, AdamW(**optimizer), average)


class Batches:
    """Two batches an epoch."""

    def __len__(self):
        return 2

    def at(self, step):
        return build_batch(step % 2)


@pytest.fixture
def small():
    """`small.model()`, `small.batch(step)`, `small.stepper()`, `small.batches`."""
    return types.SimpleNamespace(
        model=build_model, batch=build_batch, stepper=build_stepper, batches=Batches()
    )
