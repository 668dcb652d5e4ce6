"""TensorFlow: one XLA program per batch shape over variables updated in place."""

import tensorflow as tf

from kzoo.training.steppers.variables import Variables, micro_batches

# Nothing here branches on a tensor, so AutoGraph would only make tracing longer.
COMPILED = {"jit_compile": True, "autograph": False}


class Stepper:
    """See `kzoo.training.steppers`.

    Weights and optimizer slots are `tf.Variable`s that the program updates in place:
    the model's own, but where there is a moving average, the model's hold that.
    Counters go in and out as tensors: TensorFlow keeps int32 variables on the host,
    where a program for another device cannot reach them.
    """

    def __init__(self, model, loss, optimizer, average=None, measured=None):
        self.model, self.loss, self.optimizer = model, loss, optimizer
        self.average, self.measured = average, measured or loss
        self.variables = Variables(model, optimizer)
        self.step = 0
        self.compilations = 0
        self.trainable = [v.value for v in self.variables.trainable]
        self.other = [v.value for v in self.variables.other]
        self.counters = [tf.identity(v) for v in self.other if v.dtype.is_integer]
        self.moments, self.averages, self.sums = None, None, None
        if average is not None:
            self.averages = self.trainable
            self.trainable = [slot(tf.identity(w)) for w in self.averages]
        if optimizer is not None:
            self.moments = [zeros_like_all(self.trainable) for _ in "12"]
        # A step is one program, or one per part and one for the update.
        self._train = tf.function(self._train_step, **COMPILED)
        self._add = tf.function(self._add_step, **COMPILED)
        self._update = tf.function(self._update_step, **COMPILED)
        self._predict = tf.function(self._predict_step, **COMPILED)
        self._measure = tf.function(self._measure_step, **COMPILED)

    def _forward(self, trainable, counters, inputs, training):
        """Logits and the advanced counters; other variables advance in place."""
        counters = iter(counters)
        before = [
            next(counters) if v.dtype.is_integer else tf.convert_to_tensor(v)
            for v in self.other
        ]
        logits, after = self.model.stateless_call(
            trainable, before, inputs, training=training
        )
        for variable, old, new in zip(self.other, before, after, strict=True):
            if new is not old and not variable.dtype.is_integer:
                variable.assign(new)
        return logits, [value for value in after if value.dtype.is_integer]

    def _differentiate(self, trainable, counters, inputs, labels, weights):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(trainable)
            logits, counters = self._forward(trainable, counters, inputs, True)
            loss = self.loss(labels, logits, weights)
        gradients = tape.gradient(loss, trainable, unconnected_gradients="zero")
        # Embeddings give slices.
        return loss, counters, [tf.convert_to_tensor(g) for g in gradients]

    def _move(self, trainable, gradients, scalars, rate):
        trainable, *moments = self.optimizer.update(
            trainable,
            gradients,
            *map(tensors, self.moments),
            self.variables.manners,
            scalars,
        )
        assign_all([self.trainable, *self.moments], [trainable, *moments])
        if self.averages is not None:
            averages = self.average.update(tensors(self.averages), trainable, rate)
            assign_all([self.averages], [averages])

    def _train_step(self, counters, data, scalars, rate):
        self.compilations += 1  # Runs while tracing only.
        trainable = tensors(self.trainable)
        loss, counters, gradients = self._differentiate(trainable, counters, *data)
        self._move(trainable, gradients, scalars, rate)
        return loss, counters

    def _add_step(self, counters, data):
        self.compilations += 1
        loss, counters, gradients = self._differentiate(
            tensors(self.trainable), counters, *data
        )
        for total, gradient in zip(self.sums, gradients, strict=True):
            total.assign_add(gradient)
        return loss, counters

    def _update_step(self, scalars, rate):
        self.compilations += 1
        self._move(tensors(self.trainable), tensors(self.sums), scalars, rate)
        for total in self.sums:
            total.assign(tf.zeros_like(total))

    def _predict_step(self, counters, inputs):
        self.compilations += 1
        weights = tensors(self.averages or self.trainable)
        return self._forward(weights, counters, inputs, False)[0]

    def _measure_step(self, counters, data):
        inputs, labels, weights = data
        return self.measured(labels, self._predict_step(counters, inputs), weights)

    def train(self, batch, learning_rate):
        self.step += 1
        scalars = tf.convert_to_tensor(self.optimizer.scalars(self.step, learning_rate))
        rate = self.average and tf.convert_to_tensor(self.average.rate(self.step))
        parts, split = micro_batches(batch)
        if not split:
            loss, self.counters = self._train(
                self.counters, data_of(batch), scalars, rate
            )
            return loss
        self.sums = self.sums or zeros_like_all(self.trainable)
        losses = []
        for part in parts:
            loss, self.counters = self._add(self.counters, data_of(part))
            losses.append(loss)
        self._update(scalars, rate)
        return tf.add_n(losses)

    def predict(self, inputs):
        outputs = self._predict(self.counters, tensors_of(inputs))
        return tf.nest.map_structure(lambda output: output.numpy(), outputs)

    def measure(self, batch):
        return self._measure(self.counters, data_of(batch))

    def state(self):
        return self.variables.pack(
            self.trainable, self._others(), self.moments, self.averages, self.step
        )

    def load_state(self, state):
        trainable, other, moments, averages, self.step = self.variables.unpack(
            state, self._others(), self.moments is not None, self.averages is not None
        )
        self.counters = [
            tf.convert_to_tensor(value)
            for value, variable in zip(other, self.other, strict=True)
            if variable.dtype.is_integer
        ]
        assign_all([self.other, self.trainable], [other, trainable])
        assign_all(self.moments or [], moments or [])
        assign_all([self.averages] if averages else [], [averages] if averages else [])

    def sync(self):
        for variable, value in zip(self.other, self._others(), strict=True):
            variable.assign(value)

    def _others(self):
        counters = iter(self.counters)
        return [next(counters) if v.dtype.is_integer else v for v in self.other]


def slot(value):
    return tf.Variable(value, trainable=False)


def zeros_like_all(weights):
    return [slot(tf.zeros(w.shape, w.dtype)) for w in weights]


def data_of(batch):
    labels, weights = map(tf.convert_to_tensor, (batch.labels, batch.weights))
    return tensors_of(batch.inputs), labels, weights


def tensors_of(inputs):
    return {name: tf.convert_to_tensor(value) for name, value in inputs.items()}


def tensors(variables):
    return [tf.convert_to_tensor(variable) for variable in variables]


def assign_all(targets, values):
    """Assign lists of values to lists of variables."""
    for variables, new in zip(targets, values, strict=True):
        for variable, value in zip(variables, new, strict=True):
            variable.assign(value)
