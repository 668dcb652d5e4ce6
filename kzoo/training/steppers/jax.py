"""JAX: one jitted pure function; the state's buffers are donated to it."""

import jax
import jax.numpy as jnp
import numpy as np

from kzoo.training.steppers.variables import Variables


class Stepper:
    """See `kzoo.training.steppers`. The arrays here are the stepper's own copies."""

    def __init__(self, model, loss, optimizer):
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.variables = Variables(model)
        self.step = 0
        self.compilations = 0
        self.trainable = [own(v.value) for v in self.variables.trainable]
        self.other = [own(v.value) for v in self.variables.other]
        self.moments = None
        if optimizer is not None:
            self.moments = [[jnp.zeros_like(w) for w in self.trainable] for _ in "12"]
        self._train = jax.jit(self._train_step, donate_argnums=(0, 1, 2))
        self._predict = jax.jit(self._predict_step)

    def _train_step(self, trainable, other, moments, inputs, labels, weights, scalars):
        self.compilations += 1  # Runs while tracing only.

        def forward(trainable):
            logits, changed = self.model.stateless_call(
                trainable, other, inputs, training=True
            )
            return self.loss(labels, logits, weights), changed

        differentiate = jax.value_and_grad(forward, has_aux=True)
        (loss, other), gradients = differentiate(trainable)
        trainable, *moments = self.optimizer.update(
            trainable, gradients, *moments, self.variables.decayed, scalars
        )
        return trainable, other, moments, loss

    def _predict_step(self, trainable, other, inputs):
        self.compilations += 1
        logits, _ = self.model.stateless_call(trainable, other, inputs, training=False)
        return logits

    def train(self, batch, learning_rate):
        self.step += 1
        self.trainable, self.other, self.moments, loss = self._train(
            self.trainable,
            self.other,
            self.moments,
            batch.inputs,
            batch.labels,
            batch.weights,
            self.optimizer.scalars(self.step, learning_rate),
        )
        return loss

    def predict(self, inputs):
        return np.asarray(self._predict(self.trainable, self.other, inputs))

    def state(self):
        return self.variables.pack(self.trainable, self.other, self.moments, self.step)

    def load_state(self, state):
        trainable, other, moments, self.step = self.variables.unpack(
            state, self.other, self.moments is not None
        )
        self.trainable, self.other = own_all(trainable), own_all(other)
        self.moments = moments and [own_all(slots) for slots in moments]

    def sync(self):
        pairs = zip(
            self.variables.trainable + self.variables.other,
            self.trainable + self.other,
            strict=True,
        )
        for variable, value in pairs:
            variable.assign(own(value))


def own(value):
    """A copy: donating a shared buffer would delete it for its other holder."""
    return jnp.array(value, copy=True)


def own_all(values):
    return [own(value) for value in values]
