"""What one backend computes of a model: all that parity compares, by name."""

import contextlib
import zipfile

import numpy as np
from keras import ops

from kzoo.models.tagging import logits_of
from kzoo.parity.trace import recorded
from kzoo.training.steppers.gradients import gradients


class Archive(contextlib.AbstractContextManager):
    """An .npz file that takes one array at a time, so memory holds one at a time.

    Args:
        path: `Path` of the file, which is written anew.
    """

    def __init__(self, path):
        self._file = zipfile.ZipFile(path, "w")

    def __setitem__(self, name, values):
        with self._file.open(f"{name}.npy", "w", force_zip64=True) as stream:
            np.lib.format.write_array(stream, np.asarray(values), allow_pickle=False)

    def __exit__(self, *_):
        self._file.close()


class Prefixed:
    """Puts a kind before every name: `Prefixed(found, "gradient")["a"] = …`.

    Args:
        found: what takes the arrays.
        kind: str.
    """

    def __init__(self, found, kind):
        self._found, self._kind = found, kind

    def __setitem__(self, name, values):
        self._found[f"{self._kind}|{name}"] = values


def measure(stepper, batch_at, rates, questions, found, decide=None):
    """Put the numbers of a stepper and its model into `found`.

    Names are like `gradient|encoder/block_0/attention/query/kernel`. In order: the
    `initial` weights; `activation`, what every layer says of the first batch; `logits`;
    `gradient` of that batch with dropout on; then as many steps as there are rates:
    their `losses`, the `trained` weights and `counters`, the integers that a step
    advances; `predicted`, the labels of the questions.

    Args:
        stepper: from `kzoo.training.steppers.make_stepper`, before its first step. Its
            model keeps what it learns here.
        batch_at: function from a step to its batch, with inputs, labels and weights.
        rates: list of float. The learning rate of each step.
        questions: list of inputs to predict.
        found: mapping that takes arrays by name.
        decide: function from what `questions` hold to an array of what the trained
            model makes of it. `None` takes the highest number, or where each label is
            a question of its own all that are above 0.
    """
    model = stepper.model
    for weight in model.weights:
        found[f"initial|{weight.path}"] = array(weight)
    start = batch_at(0)
    with recorded(model, Prefixed(found, "activation")):
        logits = model(start.inputs, training=False)
    for name, values in named(logits).items():
        found[name] = array(values)

    def training_loss():
        return stepper.loss(
            ops.convert_to_tensor(start.labels),
            model(start.inputs, training=True),
            ops.convert_to_tensor(start.weights),
        )

    counters = {weight.path: array(weight) for weight in model.non_trainable_variables}
    for path, values in gradients(model, training_loss, compiled=True).items():
        found[f"gradient|{path}"] = values
    # Whether a gradient outside of a step moves the counters depends on the backend.
    for weight in model.non_trainable_variables:
        weight.assign(counters[weight.path])
    losses = [stepper.train(batch_at(step), rate) for step, rate in enumerate(rates)]
    found["losses"] = np.array([float(value) for value in losses])
    stepper.sync()
    for weight in model.weights:
        values = array(weight)
        kind = "counters" if values.dtype.kind in "iu" else "trained"
        found[f"{kind}|{weight.path}"] = values
    if decide is None:
        # Several labels a row, each for itself, are as many as the logits.
        each = start.labels.ndim == logits_of(logits).ndim
        highest = lambda said: said > 0 if each else said.argmax(-1)
        decide = lambda inputs: highest(logits_of(stepper.predict(inputs)))
    found["predicted"] = np.concatenate([decide(inputs) for inputs in questions])


def named(logits):
    """What a model says by the name it has here: one tensor, or several in a dict."""
    if not isinstance(logits, dict):
        return {"logits": logits}
    return {f"logits|{name}": values for name, values in logits.items()}


def array(value):
    """A tensor as NumPy; what is shorter than float32, as float32."""
    values = np.asarray(ops.convert_to_numpy(value))
    return values.astype("float32") if values.dtype.itemsize < 4 else values
