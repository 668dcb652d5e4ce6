"""TensorFlow: one XLA program per batch shape over the model's own variables."""

import tensorflow as tf

from kzoo.training.steppers.variables import Variables


class Stepper:
    """See `kzoo.training.steppers`.

    Weights and optimizer slots are `tf.Variable`s that the program updates in
    place. Counters go in and out as tensors: TensorFlow keeps int32 variables on
    the host, where a program for another device cannot reach them.
    """

    def __init__(self, model, loss, optimizer):
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.variables = Variables(model)
        self.step = 0
        self.compilations = 0
        self.trainable = [v.value for v in self.variables.trainable]
        self.other = [tf.identity(v.value) for v in self.variables.other]
        self.moments = None
        if optimizer is not None:
            self.moments = [[zeros_like(w) for w in self.trainable] for _ in "12"]
        self._train = tf.function(self._train_step, jit_compile=True)
        self._predict = tf.function(self._predict_step, jit_compile=True)

    def _train_step(self, other, inputs, labels, weights, scalars):
        self.compilations += 1  # Runs while tracing only.
        trainable = [tf.convert_to_tensor(w) for w in self.trainable]
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(trainable)
            logits, other = self.model.stateless_call(
                trainable, other, inputs, training=True
            )
            loss = self.loss(labels, logits, weights)
        gradients = tape.gradient(loss, trainable, unconnected_gradients="zero")
        updated = self.optimizer.update(
            trainable,
            [tf.convert_to_tensor(g) for g in gradients],  # Embeddings give slices.
            *[[tf.convert_to_tensor(m) for m in slots] for slots in self.moments],
            self.variables.decayed,
            scalars,
        )
        assign_all([self.trainable, *self.moments], updated)
        return loss, other

    def _predict_step(self, other, inputs):
        self.compilations += 1
        trainable = [tf.convert_to_tensor(w) for w in self.trainable]
        logits, _ = self.model.stateless_call(trainable, other, inputs, training=False)
        return logits

    def train(self, batch, learning_rate):
        self.step += 1
        loss, self.other = self._train(
            self.other,
            tensors(batch.inputs),
            tf.convert_to_tensor(batch.labels),
            tf.convert_to_tensor(batch.weights),
            tf.convert_to_tensor(self.optimizer.scalars(self.step, learning_rate)),
        )
        return loss

    def predict(self, inputs):
        return self._predict(self.other, tensors(inputs)).numpy()

    def state(self):
        return self.variables.pack(self.trainable, self.other, self.moments, self.step)

    def load_state(self, state):
        trainable, other, moments, self.step = self.variables.unpack(
            state, self.other, self.moments is not None
        )
        self.other = [tf.convert_to_tensor(value) for value in other]
        assign_all(
            [self.trainable, *(self.moments or [])], [trainable, *(moments or [])]
        )

    def sync(self):
        for variable, value in zip(self.variables.other, self.other, strict=True):
            variable.assign(value)


def zeros_like(weight):
    return tf.Variable(tf.zeros(weight.shape, weight.dtype), trainable=False)


def tensors(inputs):
    return {name: tf.convert_to_tensor(value) for name, value in inputs.items()}


def assign_all(targets, values):
    """Assign lists of values to lists of variables."""
    for variables, new in zip(targets, values, strict=True):
        for variable, value in zip(variables, new, strict=True):
            variable.assign(value)
