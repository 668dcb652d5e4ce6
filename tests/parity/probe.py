"""One backend's numbers for every case, in a process of its own.

python -m tests.parity.probe compute FOLDER    # writes FOLDER/<backend>-<case>.npz
python -m tests.parity.probe load FOLDER       # opens, and resumes, what all saved
"""

import dataclasses
import json
import sys
from pathlib import Path

import keras
import numpy as np
from keras import ops
from kzoo_recipes.training_schema import ClassifierTraining

import kzoo
from kzoo.models.tagging import logits_of, transitions_of
from kzoo.parity.numbers import measure
from kzoo.text import chains
from kzoo.training import checkpoint
from kzoo.training.losses import make_loss
from kzoo.training.manners import manners_of
from kzoo.training.optimizer import AdamW
from kzoo.training.schedules import make_schedule
from kzoo.training.steppers import make_stepper
from tests.parity import cases

STEPS, HALF = 40, 20
RESUMED = "llama"  # the case that is resumed on other backends
BACKEND = keras.backend.backend()
BACKENDS = ("jax", "tensorflow", "torch")


def compute(folder):
    for case in cases.CASES:
        model = cases.build(case)
        model.save(folder / f"{BACKEND}-{case}-fresh.keras")
        found = numbers(case, model)
        np.savez(folder / f"{BACKEND}-{case}.npz", **found)
        cases.attach(model)
        model.save(folder / f"{BACKEND}-{case}.keras")
    begin(folder)
    half = cases.build("llama", dtype="mixed_bfloat16")
    logits = half(cases.batch("llama", 0).inputs, training=False)
    np.save(folder / f"{BACKEND}-bfloat16.npy", ops.convert_to_numpy(logits))


def numbers(case, model):
    """Weights, activations, gradients and a short training of one model."""
    found = {}
    schedule = make_schedule("cosine", 3e-3, STEPS, 8)
    stepper = stepper_of(model, case)
    tags = lambda inputs: best_tags(stepper.predict(inputs), inputs)
    measure(
        stepper,
        lambda step: cases.batch(case, step),
        [schedule(step) for step in range(STEPS)],
        [cases.batch(case, 100 + i).inputs for i in range(10)],
        found,
        tags if case == "crf" else None,
    )
    return found


def best_tags(said, inputs):
    """The best path through the tokens of each row, one row after the other."""
    pairs = zip(logits_of(said), inputs["padding_mask"], strict=True)
    documents = [rows[mask] for rows, mask in pairs]
    return np.concatenate(chains.best_paths(documents, transitions_of(said)))


def next_tokens(model, inputs):
    """The scores that generation sees: the source is read once, for all steps."""
    ids, mask, ids_before, mask_before = map(ops.convert_to_tensor, inputs.values())
    source = model.read(ids, mask)
    hidden = model.decoder(ids_before, source["encoded"], mask_before, mask)
    return model.scores(hidden, source)


def stepper_of(model, case=None):
    loss = make_loss("cross_entropy", label_smoothing=0.1)
    if case == "crf":
        loss = make_loss("crf")
    if case == "copy":
        loss = make_loss("copy", label_smoothing=0.1)
    optimizer = AdamW(clip_norm=0.5, weight_decay=0.1)
    if case == RESUMED:  # Rates by layer, and layers that join while it trains.
        settings = ClassifierTraining(
            weight_decay=0.1, layer_decay=0.8, unfreeze_every=9
        )
        manners = manners_of(model, settings, STEPS)
        optimizer = dataclasses.replace(
            optimizer, manners=manners.by_path, starts=manners.starts
        )
    return make_stepper(model, loss, optimizer)


def begin(folder):
    """Train one case with a checkpoint halfway."""
    stepper = stepper_of(cases.build(RESUMED), RESUMED)
    steps(stepper, 0, HALF)
    checkpoint.save(folder / f"{BACKEND}-half", stepper.state())
    steps(stepper, HALF, STEPS)
    checkpoint.save(folder / f"{BACKEND}-whole", stepper.state())


def resume(folder):
    """Go on from the half of every backend's training to its end."""
    stepper = stepper_of(cases.build(RESUMED), RESUMED)
    for maker in BACKENDS:
        if (folder / f"{maker}-half").exists():
            stepper.load_state(checkpoint.load(folder / f"{maker}-half")[0])
            steps(stepper, HALF, STEPS)
            name = f"{maker}-resumed-on-{BACKEND}"
            checkpoint.save(folder / name, stepper.state())


def steps(stepper, start, stop):
    schedule = make_schedule("cosine", 3e-3, STEPS, 8)
    for step in range(start, stop):
        stepper.train(cases.batch(RESUMED, step), schedule(step))


def load(folder):
    """Open every saved model of every backend; write logits and answers."""
    resume(folder)
    writer = None
    for maker in BACKENDS:
        for case in cases.CASES:
            path = folder / f"{maker}-{case}.keras"
            if not path.exists():
                continue
            model = keras.saving.load_model(path)  # safe_mode is the default
            inputs = cases.batch(case, 0).inputs
            if case in cases.SEQ2SEQ:
                logits = next_tokens(model, inputs)
            else:
                logits = logits_of(model(inputs, training=False))
            np.save(
                folder / f"{maker}-{case}-on-{BACKEND}.npy",
                ops.convert_to_numpy(logits),
            )
            if case != "seq2seq":
                asked = kzoo.load_model(path)
                if case == "copy":
                    # One writes for all: each would compile programs of its own.
                    writer = writer or asked
                    writer.set_weights(asked.get_weights())
                    asked = writer
                answers = cases.answers(asked)
                text = json.dumps(answers)
                (folder / f"{maker}-{case}-on-{BACKEND}.json").write_text(text)


if __name__ == "__main__":
    {"compute": compute, "load": load}[sys.argv[1]](Path(sys.argv[2]))
