"""Models that see, for the parity suite: what a backend makes, trains and opens."""

import json

import keras
import numpy as np
from keras import ops

from kzoo import layers
from kzoo.models import DualEncoder, ImageClassifier
from kzoo.text import Tokenizer

BACKENDS = ("jax", "tensorflow", "torch")
CASES = ("dual_encoder", "image_classifier")
TEXTS = ["a red square", "a blue circle", "a green line", "a red circle"] * 2
LABELS = ["square", "circle", "line"]
PAIRS, SIZE = 8, 8


def image_encoder():
    return layers.ImageEncoder(
        *(SIZE, 4, 1, 4, 24, 32),
        feed_forward=layers.FeedForward(24, 32, "quick_gelu"),
        embedding={"norm": "layer_norm", "use_bias": False},
        name="image_encoder",
    )


def build(case):
    """The model of a case, its weights drawn from seed 7, with what it carries."""
    layers.set_seed(7)
    if case == "image_classifier":
        return ImageClassifier(image_encoder(), 3, name=case).attach(LABELS)
    tokenizer = Tokenizer.train(TEXTS, "word", 30, min_frequency=1)
    text = layers.TransformerDecoder(
        *(tokenizer.vocabulary_size, 1, 4, 32, 48),
        position="learned",
        dropout=0.0,
        cross_attention=False,
        name="text_encoder",
    )
    end = int(tokenizer.special_ids[1][-1])
    model = DualEncoder(text, image_encoder(), 16, end, 12, name=case)
    return model.attach(tokenizer)


def images():
    """Prepared images, float32 `(PAIRS, SIZE, SIZE, 3)`, each of its own."""
    rng = np.random.default_rng(3)
    return rng.normal(size=(PAIRS, SIZE, SIZE, 3)).astype("float32")


def inputs(model):
    """A batch of a model: pairs, or images alone."""
    if isinstance(model, ImageClassifier):
        return {"pixels": images()}
    rng = np.random.default_rng(4)
    token_ids = rng.integers(5, model.text_encoder.vocabulary_size, (PAIRS, 9))
    lengths = rng.integers(3, 10, (PAIRS, 1))
    token_ids = np.where(np.arange(9) == lengths - 1, model.end_id, token_ids)
    return {
        "pixels": images(),
        "token_ids": token_ids.astype("int32"),
        "padding_mask": np.arange(9) < lengths,
    }


def compute(folder, backend):
    """Save every model, and the losses of a short training of the pairs."""
    for case in CASES:
        model = build(case)
        model.save(folder / f"{backend}-{case}.keras")
        said(folder / f"{backend}-{case}-at-home", model)
    model = build("dual_encoder")
    model.compile(keras.optimizers.SGD(0.03))
    history = model.fit(
        inputs(model), batch_size=PAIRS, epochs=12, shuffle=False, verbose=0
    ).history["loss"]
    evaluated = model.evaluate(inputs(model), batch_size=PAIRS, verbose=0)
    np.save(folder / f"{backend}-pairs.npy", [*history, evaluated])


def load(folder, backend):
    """Open every model of every backend, and let it speak."""
    for case in CASES:
        for maker in BACKENDS:
            path = folder / f"{maker}-{case}.keras"
            if path.exists():
                model = keras.saving.load_model(path)  # safe_mode is the default
                said(folder / f"{maker}-{case}-on-{backend}", model)


def said(path, model):
    """Write the logits of a model, and what it answers."""
    logits = ops.convert_to_numpy(model(inputs(model), training=False))
    np.save(f"{path}.npy", logits)
    choices = [sorted(set(TEXTS))] if isinstance(model, DualEncoder) else []
    with open(f"{path}.json", "w") as file:
        json.dump(model.classify(images(), *choices), file)
