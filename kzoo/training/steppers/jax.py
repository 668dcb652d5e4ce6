"""JAX: one jitted pure function; the state's buffers are donated to it."""

import jax
import jax.numpy as jnp
import numpy as np

from kzoo.training.steppers.variables import Variables, micro_batches


class Stepper:
    """See `kzoo.training.steppers`. The arrays here are the stepper's own copies."""

    def __init__(self, model, loss, optimizer, average=None, measured=None):
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.average, self.measured = average, measured or loss
        self.variables = Variables(model, optimizer)
        self.step = 0
        self.compilations = 0
        self.trainable = [own(v.value) for v in self.variables.trainable]
        self.other = [own(v.value) for v in self.variables.other]
        self.moments, self.averages, self.sums = None, None, None
        if optimizer is not None:
            self.moments = [zeros_like_all(self.trainable) for _ in "12"]
        if average is not None:
            self.averages = own_all(self.trainable)
        # A step is one program, or one per part and one for the update.
        self._train = jax.jit(self._train_step, donate_argnums=(0, 1))
        self._add = jax.jit(self._add_step, donate_argnums=(1, 2))
        self._update = jax.jit(self._update_step, donate_argnums=(0, 1))
        self._predict = jax.jit(self._predict_step)
        self._measure = jax.jit(self._measure_step)

    def _differentiate(self, trainable, other, inputs, labels, weights):
        def forward(trainable):
            logits, changed = self.model.stateless_call(
                trainable, other, inputs, training=True
            )
            return self.loss(labels, logits, weights), changed

        (loss, other), gradients = jax.value_and_grad(forward, has_aux=True)(trainable)
        return loss, other, gradients

    def _moved(self, held, gradients, scalars, rate):
        """Weights, moments and averages after an update with `gradients`."""
        trainable, moments, averages = held
        trainable, *moments = self.optimizer.update(
            trainable, gradients, *moments, self.variables.manners, scalars
        )
        if averages is not None:
            averages = self.average.update(averages, trainable, rate)
        return trainable, moments, averages

    def _train_step(self, held, other, data, scalars, rate):
        self.compilations += 1  # Runs while tracing only.
        loss, other, gradients = self._differentiate(held[0], other, *data)
        return self._moved(held, gradients, scalars, rate), other, loss

    def _add_step(self, trainable, other, sums, data):
        self.compilations += 1
        loss, other, gradients = self._differentiate(trainable, other, *data)
        return other, jax.tree.map(jnp.add, sums, (loss, gradients))

    def _update_step(self, held, sums, scalars, rate):
        self.compilations += 1
        loss, gradients = sums
        cleared = zeros_like_all(gradients)
        return self._moved(held, gradients, scalars, rate), cleared, loss

    def _predict_step(self, trainable, other, inputs):
        self.compilations += 1
        logits, _ = self.model.stateless_call(trainable, other, inputs, training=False)
        return logits

    def _measure_step(self, trainable, other, data):
        inputs, labels, weights = data
        outputs = self._predict_step(trainable, other, inputs)
        return self.measured(labels, outputs, weights)

    def train(self, batch, learning_rate):
        self.step += 1
        scalars = self.optimizer.scalars(self.step, learning_rate)
        rate = self.average and self.average.rate(self.step)
        held = self.trainable, self.moments, self.averages
        parts, split = micro_batches(batch)
        if split:
            loss = np.zeros((), "float32")
            self.sums = self.sums or zeros_like_all(self.trainable)
            sums = loss, self.sums
            for part in parts:
                self.other, sums = self._add(
                    self.trainable, self.other, sums, data_of(part)
                )
            held, self.sums, loss = self._update(held, sums, scalars, rate)
        else:
            held, self.other, loss = self._train(
                held, self.other, data_of(batch), scalars, rate
            )
        self.trainable, self.moments, self.averages = held
        return loss

    def predict(self, inputs):
        weights = self.averages or self.trainable
        return jax.tree.map(np.asarray, self._predict(weights, self.other, inputs))

    def measure(self, batch):
        weights = self.averages or self.trainable
        return self._measure(weights, self.other, data_of(batch))

    def state(self):
        return self.variables.pack(
            self.trainable, self.other, self.moments, self.averages, self.step
        )

    def load_state(self, state):
        trainable, other, moments, averages, self.step = self.variables.unpack(
            state, self.other, self.moments is not None, self.averages is not None
        )
        self.trainable, self.other = own_all(trainable), own_all(other)
        self.moments = moments and [own_all(slots) for slots in moments]
        self.averages = averages and own_all(averages)

    def sync(self):
        pairs = zip(
            self.variables.trainable + self.variables.other,
            (self.averages or self.trainable) + self.other,
            strict=True,
        )
        for variable, value in pairs:
            variable.assign(own(value))


def data_of(batch):
    return batch.inputs, batch.labels, batch.weights


def own(value):
    """A copy: donating a shared buffer would delete it for its other holder."""
    return jnp.array(value, copy=True)


def own_all(values):
    return [own(value) for value in values]


def zeros_like_all(values):
    return [jnp.zeros_like(value) for value in values]
