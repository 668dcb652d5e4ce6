"""One small compiled stepper per backend, all with the same methods.

    stepper = make_stepper(model, loss, optimizer)
    loss = stepper.train(batch, learning_rate)   # lazy: float(loss) waits for it
    outputs = stepper.predict(inputs)            # numpy, training=False
    loss = stepper.measure(batch)                # lazy, training=False
    state = stepper.state()                      # numpy by weight path
    stepper.load_state(state)
    stepper.sync()                               # the Keras model gets the weights

A `batch` has `inputs` (a dict of arrays), `labels` and `weights`, or it has `parts`: a
list of such batches whose gradients are summed before the one update they make. What a
model gives, an array or a dict of them, goes to the loss and out of `predict`. Between
`train` and `sync` the stepper owns the weights; the model may hold older ones. With a
moving average of the weights, it is the average that predicts, is measured and that
`sync` puts into the model; training goes on from the weights themselves.
`stepper.compilations` counts the programs built so far.
"""

import importlib

from kzoo.training.memory import keep_freed_memory


def make_stepper(model, loss=None, optimizer=None, average=None, measured=None):
    """The stepper of the running backend.

    Args:
        model: built `keras.Model`.
        loss: `fn(labels, outputs, weights)`, a scalar. `None` if it only predicts.
        optimizer: `kzoo.training.optimizer.AdamW`. `None` if it only predicts.
        average: `kzoo.training.averaging.Average`. `None` for no moving average.
        measured: the loss that `measure` tells, as `loss`. `None` is `loss` itself.
    """
    keep_freed_memory()
    backend = importlib.import_module("kzoo.training.backend")
    backend.keep_tensorflow_off_the_gpu()  # By now, Keras may have loaded it.
    backend.use_full_float32()
    module = importlib.import_module(f"{__name__}.{backend.name()}")
    return module.Stepper(model, loss, optimizer, average, measured)
