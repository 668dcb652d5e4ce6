"""One small compiled stepper per backend, all with the same methods.

    stepper = make_stepper(model, loss, optimizer)
    loss = stepper.train(batch, learning_rate)   # lazy: float(loss) waits for it
    logits = stepper.predict(inputs)             # numpy, training=False
    state = stepper.state()                      # numpy by weight path
    stepper.load_state(state)
    stepper.sync()                               # the Keras model gets the weights

A `batch` has `inputs` (a dict of arrays), `labels` and `weights`. Between
`train` and `sync` the stepper owns the weights; the model may hold older ones.
`stepper.compilations` counts the programs built so far.
"""

import importlib

from kzoo.training.memory import keep_freed_memory


def make_stepper(model, loss=None, optimizer=None):
    """The stepper of the running backend.

    Args:
        model: built `keras.Model`.
        loss: `fn(labels, logits, weights)`, a scalar. `None` if it only predicts.
        optimizer: `kzoo.training.optimizer.AdamW`. `None` if it only predicts.
    """
    keep_freed_memory()
    backend = importlib.import_module("kzoo.training.backend")
    backend.keep_tensorflow_off_the_gpu()  # By now, Keras may have loaded it.
    module = importlib.import_module(f"{__name__}.{backend.name()}")
    return module.Stepper(model, loss, optimizer)
