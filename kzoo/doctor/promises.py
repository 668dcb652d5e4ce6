"""What kzoo builds on: asked of the installed versions, not believed."""

import types

import keras
import numpy as np
from keras import ops

from kzoo import layers
from kzoo.doctor.checks import Check
from kzoo.layers.dropout import keep_mask
from kzoo.models import Seq2Seq, TextClassifier
from kzoo.text import Tokenizer
from kzoo.training.losses import make_loss
from kzoo.training.optimizer import AdamW
from kzoo.training.steppers import make_stepper

TEXTS = ["a good day", "a bad day", "no good"]
LABELS = ["bad", "good"]
INPUTS = {
    "token_ids": np.array([[1, 3, 2, 0], [1, 4, 4, 2]], "int32"),
    "padding_mask": np.array([[1, 1, 1, 0], [1, 1, 1, 1]], bool),
}


def small_model(dtype="float32"):
    """A classifier that takes moments, with tokenizer and labels."""
    layers.set_seed(7)
    tokenizer = Tokenizer.train(TEXTS, kind="word", vocabulary_size=16, min_frequency=1)
    encoder = layers.TransformerEncoder(16, 1, 2, 8, 16, dtype=dtype, name="encoder")
    model = TextClassifier(encoder, 2, sequence_length=8, name="text_classifier")
    return model.attach(tokenizer, LABELS)


def trains(folder):
    stepper = make_stepper(small_model(), make_loss("cross_entropy"), AdamW())
    labels, weights = np.array([0, 1], "int32"), np.full(2, 0.5, "float32")
    batch = types.SimpleNamespace(inputs=INPUTS, labels=labels, weights=weights)
    losses = [float(stepper.train(batch, 0.01)) for _ in range(20)]
    finite = bool(np.isfinite(losses).all())
    found = f"the loss went from {losses[0]:.2f} to {losses[-1]:.2f}"
    return finite and losses[-1] < losses[0], found


def sees_nothing(folder):
    layer = layers.MultiHeadAttention(8, 2)
    values = np.random.default_rng(7).normal(size=(1, 3, 8)).astype("float32")
    mask = np.array([[[[1, 1, 0], [0, 0, 0], [1, 1, 1]]]], bool)
    layer.build(values.shape, values.shape)
    explicit, weights = map(
        ops.convert_to_numpy,
        layer(values, values, attention_mask=mask, return_weights=True),
    )
    plain = ops.convert_to_numpy(layer(values, values, attention_mask=mask))
    empty = not weights[0, :, 1].any() and not plain[0, 1].any()
    same = np.allclose(plain, explicit, rtol=1e-5, atol=1e-6)
    return empty and same, "zeros on both paths" if empty else "not zeros"


def dropout_is_equal(folder):
    state = ops.convert_to_tensor([7, 3], dtype="int32")
    mask = ops.convert_to_numpy(keep_mask(state, (64, 33), 0.1))
    expected = reference_mask(7, 3, 64, 33, 0.1)
    different = int((mask != expected).sum())
    return not different, f"{different} of {mask.size} elements differ from NumPy's"


def reference_mask(key, counter, rows, columns, rate):
    """`kzoo.layers.dropout.keep_mask` on Python's integers, which never wrap."""
    full = (1 << 32) - 1

    def mix(x):
        x = (x ^ (x >> 16)) * 0x7FEB352D & full
        x = (x ^ (x >> 15)) * 0x846CA68B & full
        return x ^ (x >> 16)

    salts = [mix(mix((counter + 0x9E3779B9 * i) & full) ^ key) for i in (1, 2)]
    across = [mix(row ^ salts[0]) | 1 for row in range(rows)]
    down = [mix(column ^ salts[1]) for column in range(columns)]
    products = np.array([[a * b & full for b in down] for a in across], "uint32")
    threshold = round(rate * 2**32) - 2**31
    return products.view("int32") >= threshold


def opens_with_assets(folder):
    model = small_model()
    model.save(folder / "model.keras")
    opened = keras.saving.load_model(folder / "model.keras")  # In safe mode.
    kept = opened.labels == LABELS and opened.tokenizer is not None
    if kept:
        ids = [m.tokenizer.encode(TEXTS).token_ids for m in (model, opened)]
        kept = all(np.array_equal(*pair) for pair in zip(*ids, strict=True))
    one, other = (
        ops.convert_to_numpy(m(INPUTS, training=False)) for m in (model, opened)
    )
    worst = float(np.abs(one - other).max())
    words = "tokenizer and labels are there" if kept else "tokenizer or labels are lost"
    return kept and worst < 1e-6, f"{words}, logits differ by {worst:.0e}"


def weights_file(folder):
    model = small_model()
    model.save_weights(folder / "model.weights.h5")
    other = small_model()
    for weight in other.trainable_variables:
        weight.assign(ops.zeros(weight.shape))
    other.load_weights(folder / "model.weights.h5")
    pairs = zip(model.weights, other.weights, strict=True)
    equal = all(np.array_equal(*map(ops.convert_to_numpy, pair)) for pair in pairs)
    return equal, "equal bits" if equal else "other weights"


def float32_products(folder):
    rng = np.random.default_rng(7)
    a, b = (rng.normal(size=(256, 256)).astype("float32") for _ in "ab")
    exact = a.astype("float64") @ b
    found = ops.convert_to_numpy(ops.matmul(a, b))
    error = float(np.abs(found - exact).max() / np.abs(exact).max())
    return error < 2e-6, f"off by {error:.0e} of the largest"


def writes_step_by_step(folder):
    layers.set_seed(7)
    stacks = [
        kind(16, 1, 2, 8, 16, name=name)
        for kind, name in (
            (layers.TransformerEncoder, "encoder"),
            (layers.TransformerDecoder, "decoder"),
        )
    ]
    model = Seq2Seq(*stacks, start_id=1, end_id=2, name="writer")
    settings = model.settings(beams=1, max_new_tokens=6, min_new_tokens=6)
    written = model.generate(*INPUTS.values(), settings)
    said = np.array([of_source[0].token_ids for of_source in written])  # (2, 6)
    given = np.insert(said[:, :-1], 0, 1, axis=1).astype("int32")
    inputs = {f"encoder_{name}": values for name, values in INPUTS.items()}
    inputs |= {"decoder_token_ids": given, "decoder_padding_mask": given >= 0}
    logits = np.array(ops.convert_to_numpy(model(inputs, training=False)))
    logits[..., 2] = -np.inf  # It was not to end.
    different = int((logits.argmax(-1) != said).sum())
    return not different, f"{different} of {said.size} tokens differ"


PROMISES = {
    "a small model trains": Check(trains, "kzoo cannot train on this backend."),
    "a query that sees nothing gets zeros": Check(
        sees_nothing, "padding leaks into the answers."
    ),
    "dropout drops what NumPy says": Check(
        dropout_is_equal, "training differs from the other backends; see kzoo parity."
    ),
    "a saved model opens in safe mode, assets and all": Check(
        opens_with_assets, "models saved here do not open elsewhere."
    ),
    ".weights.h5 brings the weights back": Check(
        weights_file, "save whole .keras models, not weights."
    ),
    "a text is written step by step as in one pass": Check(
        writes_step_by_step, "summaries written here are not the model's."
    ),
    "float32 products are float32": Check(
        float32_products,
        "the device rounds products to fewer bits, so numbers differ from a CPU's.",
    ),
}


def works_in(precision):
    """Whether a small model answers in a dtype policy such as `mixed_bfloat16`."""
    model = small_model(precision)
    logits = make_stepper(model).predict(INPUTS)
    return bool(np.isfinite(logits).all())


def initial_weights():
    """The first weights of a model, to compare between backends."""
    weight = small_model().encoder.weights[0]
    return ops.convert_to_numpy(weight).ravel()[:4].tolist()
