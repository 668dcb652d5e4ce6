"""The copy mechanism against See et al., 2017, in float64, and against autograd."""

import keras
import numpy as np
import pytest
from helpers.layers import array, fill, weights_of
from keras import ops

from kzoo.layers import CopyMechanism
from kzoo.layers.copying import copy_loss, mixture, repeats
from kzoo.training.steppers.gradients import gradients

B, T, S, D, E, V = 4, 3, 8, 6, 5, 9
rng = np.random.default_rng(3)
HIDDEN = rng.normal(size=(B, T, D)).astype("float32")
ENCODED = rng.normal(size=(B, S, E)).astype("float32")
LOGITS = rng.normal(size=(B, T, V)).astype("float32")
SOURCE = rng.integers(1, V, (B, S), "int32")  # 8 places of 8 tokens: some stand twice
PADDING = np.arange(S) < np.array([[8], [5], [1], [0]])  # one has nothing to copy
SOURCE[~PADDING] = 0
LABELS = rng.integers(0, V, (B, T), "int32")
LABELS[0] = SOURCE[0, :T]
WEIGHTS = rng.random((B, T)).astype("float32")


@pytest.fixture(scope="module")
def layer():
    layer = CopyMechanism(E, name="copy")
    layer.build((B, T, D), (B, S, E))
    return fill(layer, 1, scale=0.8)


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def paper(weights, logits):
    """Equations 1 to 3, 8 and 9, token by token: float64 `(B, T, V)`, and p `(B, T)`.

    Scores are products, not the paper's layer of tanh.
    """
    answer, gates = np.zeros((B, T, V)), np.ones((B, T))
    for b, t in np.ndindex(B, T):
        state = HIDDEN[b, t].astype("float64")
        generated = softmax(logits[b, t].astype("float64"))
        places = np.flatnonzero(PADDING[b])
        attention = np.zeros(0)
        if len(places):
            query = state @ weights["query/kernel"] + weights["query/bias"]
            states = ENCODED[b, places].astype("float64")
            attention = softmax(states @ query / np.sqrt(E))
            context = attention @ states
            gate = context @ weights["context_gate/kernel"]
            gate = gate + state @ weights["state_gate/kernel"]
            gates[b, t] = 1 / (1 + np.exp(-(gate + weights["state_gate/bias"])[0]))
        answer[b, t] = gates[b, t] * generated
        for place, share in zip(places, attention, strict=True):
            answer[b, t, SOURCE[b, place]] += (1 - gates[b, t]) * share
    return answer, gates


def said(layer):
    return {"logits": LOGITS, "source": SOURCE, **layer(HIDDEN, ENCODED, PADDING)}


def test_gate_and_places(layer):
    outputs = layer(HIDDEN, ENCODED, PADDING)
    gate = 1 / (1 + np.exp(-array(outputs["gate"]).astype("float64")))
    np.testing.assert_allclose(gate, paper(weights_of(layer), LOGITS)[1], rtol=1e-5)
    shares = np.exp(array(outputs["places"]))
    np.testing.assert_array_equal(shares[~PADDING[:, None, :].repeat(T, 1)], 0.0)
    np.testing.assert_allclose(shares[:3].sum(-1), 1.0, rtol=1e-5)
    assert np.isfinite(array(outputs["places"])).all()


@pytest.mark.parametrize("size", [1.0, 30.0, 1e4])
def test_the_probability_of_every_token(layer, size):
    expected, _ = paper(weights_of(layer), size * LOGITS)
    outputs = layer(HIDDEN, ENCODED, PADDING)
    logits = (size * LOGITS).astype("float32")
    words = repeats(SOURCE)
    found = array(mixture(logits, outputs["places"], outputs["gate"], SOURCE, **words))
    np.testing.assert_allclose(np.exp(found.astype("float64")), expected, 2e-5, 1e-30)
    np.testing.assert_allclose(np.exp(found.astype("float64")).sum(-1), 1, 1e-5)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss(layer, smoothing):
    probabilities, _ = paper(weights_of(layer), LOGITS)
    chosen = np.take_along_axis(probabilities, LABELS[..., None], -1)[..., 0]
    logits = LOGITS.astype("float64")
    own = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    terms = -(1 - smoothing) * np.log(chosen) - smoothing * own.mean(-1)
    loss = copy_loss(LABELS, said(layer), ops.convert_to_tensor(WEIGHTS), smoothing)
    assert float(array(loss)) == pytest.approx((WEIGHTS * terms).sum(), rel=1e-5)


@keras.saving.register_keras_serializable(package="tests")
class Held(keras.layers.Layer):
    """Holds what the mechanism reads as weights, so that it has gradients."""

    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        self.copying = layer

    def build(self):
        for name, values in (
            ("hidden", HIDDEN),
            ("encoded", ENCODED),
            ("logits", LOGITS),
        ):
            weight = self.add_weight(shape=values.shape, name=f"given_{name}")
            weight.assign(values)
            setattr(self, f"given_{name}", weight)

    def call(self):
        hidden = ops.convert_to_tensor(self.given_hidden)
        encoded = ops.convert_to_tensor(self.given_encoded)
        outputs = self.copying.call(hidden, encoded, PADDING)
        logits = ops.convert_to_tensor(self.given_logits)
        return {"logits": logits, "source": SOURCE, **outputs}


def naive(weights, smoothing):
    """Gradients of the paper's formula in torch, float64, over the whole vocabulary."""
    torch = pytest.importorskip("torch", reason="differentiates by torch")
    given = {
        **{f"copy/{name}": values for name, values in weights.items()},
        "given_hidden": HIDDEN,
        "given_encoded": ENCODED,
        "given_logits": LOGITS,
    }
    leaves = {
        name: torch.tensor(values, dtype=torch.float64, requires_grad=True)
        for name, values in given.items()
    }
    hidden, encoded, logits = (leaves[f"given_{n}"] for n in HELD)
    query = hidden @ leaves["copy/query/kernel"] + leaves["copy/query/bias"]
    scores = query @ encoded.transpose(1, 2) / E**0.5  # (B, T, S)
    mask = torch.tensor(PADDING)[:, None, :]
    attention = torch.softmax(scores.masked_fill(~mask, -1e300), -1) * mask
    gate = (attention @ encoded) @ leaves["copy/context_gate/kernel"]
    gate = gate + hidden @ leaves["copy/state_gate/kernel"]
    gate = torch.sigmoid(gate + leaves["copy/state_gate/bias"])  # (B, T, 1)
    gate = torch.where(mask.any(-1, keepdim=True), gate, 1.0)
    words = torch.nn.functional.one_hot(torch.tensor(SOURCE).long(), V).double()
    mixed = gate * torch.softmax(logits, -1) + (1 - gate) * (attention @ words)
    chosen = mixed.gather(-1, torch.tensor(LABELS).long()[..., None])[..., 0]
    terms = (1 - smoothing) * chosen.log()
    terms = terms + smoothing * torch.log_softmax(logits, -1).mean(-1)
    (-(torch.tensor(WEIGHTS) * terms).sum()).backward()
    return {name: leaf.grad.numpy() for name, leaf in leaves.items()}


HELD = ("hidden", "encoded", "logits")


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_gradients(layer, smoothing):
    held = Held(layer, name="held")
    held.build()
    weights = ops.convert_to_tensor(WEIGHTS)
    found = gradients(
        held, lambda: copy_loss(LABELS, held.call(), weights, smoothing), compiled=True
    )
    expected = naive(weights_of(layer), smoothing)
    found = {path.removeprefix("held/"): values for path, values in found.items()}
    assert found.keys() == expected.keys()
    for path, values in expected.items():
        limit = 1e-5 * np.abs(values).max()
        np.testing.assert_allclose(found[path], values, 1e-4, limit, err_msg=path)


@pytest.mark.parametrize("gate", [-300.0, 300.0])
@pytest.mark.parametrize("size", [0.0, 500.0])
def test_nothing_overflows(layer, gate, size):
    """A model that is sure and wrong has a large loss and finite gradients."""
    held = Held(layer, name="held")
    held.build()
    before = array(layer.state_gate.bias)
    layer.state_gate.bias.assign([gate])
    held.given_logits.assign(size * LOGITS)
    weights = ops.convert_to_tensor(WEIGHTS)
    loss = lambda: copy_loss(LABELS, held.call(), weights, 0.1)
    found = gradients(held, loss, compiled=True)
    assert all(np.isfinite(values).all() for values in found.values())
    assert np.isfinite(array(loss())) and float(array(loss())) > 1.0
    layer.state_gate.bias.assign(before)


def test_a_token_that_stands_again_is_put_once():
    """Its places hold one number, to the bit, whatever the order they are put in."""
    many = np.random.default_rng(0)
    ids = many.integers(0, 4, (2, 64), "int32")
    places = np.log(many.dirichlet(np.ones(64), (2, 5))).astype("float32")
    logits = many.normal(size=(2, 5, 6)).astype("float32")
    found = array(
        mixture(logits, places, np.zeros((2, 5), "float32"), ids, **repeats(ids))
    )
    expected = np.exp(logits.astype("float64"))
    expected /= 2 * expected.sum(-1, keepdims=True)
    for b, t, s in np.ndindex(2, 5, 64):
        expected[b, t, ids[b, s]] += 0.5 * np.exp(float(places[b, t, s]))
    np.testing.assert_allclose(found, np.log(expected), 1e-5, 1e-5)
    turned = array(
        mixture(
            logits,
            places[..., ::-1].copy(),
            np.zeros((2, 5), "float32"),
            ids[:, ::-1].copy(),
            **repeats(ids[:, ::-1].copy()),
        )
    )
    np.testing.assert_allclose(found, turned, 1e-6, 1e-6)
