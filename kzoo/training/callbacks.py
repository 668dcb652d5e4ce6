"""A Python caller's Keras callbacks, called by kzoo's loop as `fit` would.

`on_train_*`, `on_epoch_*`, `on_train_batch_*` and `on_test_*` are called, with logs;
`model.stop_training` ends the training. There is no Keras optimizer: callbacks that
live on one are refused. A callback sees the weights as they are; what it writes to
them is not taken over.
"""

import keras
from kzoo_recipes import KzooError

NEED_OPTIMIZER = {
    "BackupAndRestore": "kzoo keeps checkpoints itself; `kzoo resume` continues",
    "LearningRateScheduler": "[training] schedule says how the rate goes",
    "ReduceLROnPlateau": "[training] schedule says how the rate goes",
    "SwapEMAWeights": "kzoo's loop has no Keras optimizer that averages weights",
}
BATCH_HOOKS = (
    *("on_train_batch_begin", "on_train_batch_end"),
    *("on_batch_begin", "on_batch_end"),
)


class Callbacks:
    """The callbacks of one run; without any, every method is free.

    Args:
        callbacks: iterable of `keras.callbacks.Callback`.
        stepper: from `make_stepper`. Its model is theirs.
        steps_per_epoch: int.
        epochs: int.

    Raises:
        KzooError: if one of them needs a Keras optimizer.
    """

    def __init__(self, callbacks, stepper, steps_per_epoch, epochs):
        self._callbacks, self._stepper = list(callbacks), stepper
        self._model, self._per_epoch = stepper.model, steps_per_epoch
        self._bare = False
        check_callbacks(self._callbacks)
        # Reading a loss and handing over weights each step costs time: on demand only.
        self._each_batch = any(_hears_batches(c) for c in self._callbacks)
        for callback in self._callbacks:
            callback.set_model(self._model)
            callback.set_params(
                {"epochs": epochs, "steps": steps_per_epoch, "verbose": 0}
            )

    @property
    def stop(self):
        """Whether one of them asked for the end."""
        return getattr(self._model, "stop_training", False) and bool(self._callbacks)

    def train_begin(self):
        if self._callbacks:
            self._model.stop_training = False
            if not hasattr(self._model, "optimizer"):
                self._model.optimizer = None  # Some ask whether there is one.
                self._bare = True
            self._call("on_train_begin")

    def train_end(self, logs):
        if self._callbacks:
            self._call("on_train_end", logs=logs)
            if self._bare:
                del self._model.optimizer

    def epoch_begin(self, step):
        self._call("on_epoch_begin", step // self._per_epoch)

    def epoch_end(self, step, logs):
        """After `step`, the last one of an epoch or of the run."""
        self._call("on_epoch_end", step // self._per_epoch, logs=logs)

    def batch_begin(self, step):
        if self._each_batch:
            self._call("on_train_batch_begin", step % self._per_epoch)

    def batch_end(self, step, read_loss):
        if self._each_batch:
            logs = {"loss": read_loss()}
            self._call("on_train_batch_end", step % self._per_epoch, logs=logs)

    def test_begin(self):
        self._call("on_test_begin")

    def test_end(self, metrics):
        self._call("on_test_end", logs=metrics)

    def _call(self, hook, *where, logs=None):
        if self._callbacks:
            self._stepper.sync()
        logs = dict(logs or {})  # One for all: some add to it for others.
        for callback in self._callbacks:
            getattr(callback, hook)(*where, logs)


def check_callbacks(callbacks):
    """Raise a `KzooError` if there is one that kzoo's loop cannot serve."""
    for callback in callbacks:
        if not isinstance(callback, keras.callbacks.Callback):
            raise KzooError(
                f"callbacks: a {type(callback).__name__} is no "
                "keras.callbacks.Callback."
            )
        for kind in type(callback).__mro__:
            if kind.__name__ in NEED_OPTIMIZER:
                raise KzooError(
                    f"callbacks: {type(callback).__name__} works on a Keras "
                    f"optimizer, and kzoo's loop has none: "
                    f"{NEED_OPTIMIZER[kind.__name__]}."
                )


def _hears_batches(callback):
    """Whether a callback does anything at a batch."""
    own = keras.callbacks.Callback
    return any(
        getattr(type(callback), hook) is not getattr(own, hook)
        or hook in vars(callback)  # LambdaCallback sets functions on itself.
        for hook in BATCH_HOOKS
    )
