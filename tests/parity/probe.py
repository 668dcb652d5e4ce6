"""One backend's numbers for every case, in a process of its own.

python -m tests.parity.probe compute FOLDER    # writes FOLDER/<backend>-<case>.npz
python -m tests.parity.probe load FOLDER       # opens, and resumes, what all saved
"""

import dataclasses
import json
import os
import sys
from pathlib import Path

from kzoo_cli.start import start_keras

if "keras" not in sys.modules:  # It starts as it does for commands, in half the time.
    start_keras(os.environ["KERAS_BACKEND"])

import keras
import numpy as np
from keras import ops
from kzoo_recipes.training_schema import ClassifierTraining

from kzoo.models.tagging import logits_of, transitions_of
from kzoo.parity.numbers import measure
from kzoo.text import chains
from kzoo.training import checkpoint
from kzoo.training.losses import make_loss
from kzoo.training.manners import manners_of
from kzoo.training.optimizer import AdamW
from kzoo.training.schedules import make_schedule
from kzoo.training.steppers import make_stepper
from tests.parity import cases, image_cases

STEPS, HALF = 40, 20
RESUMED = "llama"  # the case that is resumed on other backends
BACKEND = keras.backend.backend()
BACKENDS = ("jax", "tensorflow", "torch")


def compute(folder):
    for case in cases.CASES:
        model = cases.build(case)
        found = numbers(case, model, folder)
        np.savez(folder / f"{BACKEND}-{case}.npz", **found)
        cases.attach(model)
        model.save(folder / f"{BACKEND}-{case}.keras")
    image_cases.compute(folder, BACKEND)
    half = cases.build("llama", dtype="mixed_bfloat16")
    logits = half(cases.batch("llama", 0).inputs, training=False)
    np.save(folder / f"{BACKEND}-bfloat16.npy", ops.convert_to_numpy(logits))


def numbers(case, model, folder):
    """Weights, activations, gradients and a short training of one model.

    The case that is resumed leaves a checkpoint halfway, and one of its end.
    """
    found = {}
    schedule = make_schedule("cosine", 3e-3, STEPS, 8)
    stepper = stepper_of(model, case)
    tags = lambda inputs: best_tags(stepper.predict(inputs), inputs)

    def batch_at(step):
        if case == RESUMED and step == HALF:
            checkpoint.save(folder / f"{BACKEND}-half", stepper.state())
        return cases.batch(case, step)

    measure(
        stepper,
        batch_at,
        [schedule(step) for step in range(STEPS)],
        [cases.batch(case, 100 + i).inputs for i in range(10)],
        found,
        tags if case == "crf" else None,
    )
    if case == RESUMED:
        checkpoint.save(folder / f"{BACKEND}-whole", stepper.state())
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


def resume(folder):
    """Go on from the half of every backend's training to its end."""
    stepper = stepper_of(cases.build(RESUMED), RESUMED)
    schedule = make_schedule("cosine", 3e-3, STEPS, 8)
    for maker in BACKENDS:
        if (folder / f"{maker}-half").exists():
            stepper.load_state(checkpoint.load(folder / f"{maker}-half")[0])
            for step in range(HALF, STEPS):
                stepper.train(cases.batch(RESUMED, step), schedule(step))
            name = f"{maker}-resumed-on-{BACKEND}"
            checkpoint.save(folder / name, stepper.state())


def load(folder):
    """Open every saved model of every backend; write logits and answers."""
    resume(folder)
    image_cases.load(folder, BACKEND)
    for case in cases.CASES:
        speaker = None
        for maker in BACKENDS:
            path = folder / f"{maker}-{case}.keras"
            if not path.exists():
                continue
            model = keras.saving.load_model(path)  # safe_mode is the default
            inputs = cases.batch(case, 0).inputs
            if case in cases.SEQ2SEQ:
                logits = next_tokens(model, inputs)
            else:
                logits = logits_of(model(inputs, training=False))
            name = f"{maker}-{case}-on-{BACKEND}"
            np.save(folder / f"{name}.npy", ops.convert_to_numpy(logits))
            if case != "seq2seq":
                # One speaks for all: each would compile programs of its own.
                speaker = speaker or model
                assert in_words(model) == in_words(speaker)
                speaker.set_weights(model.get_weights())
                text = json.dumps(cases.answers(speaker))
                (folder / f"{name}.json").write_text(text)


def in_words(model):
    """All of a model but its weights, as JSON."""
    labels = model.labels if model.has_labels else None
    config = keras.saving.serialize_keras_object(model)
    return json.dumps([config, labels, model.tokenizer.to_json()], sort_keys=True)


if __name__ == "__main__":
    {"compute": compute, "load": load}[sys.argv[1]](Path(sys.argv[2]))
