import keras
import numpy as np
import pytest
from keras import ops

from kzoo.training.optimizer import AdamW, decays

SHAPES = [(5, 4), (4,), (3, 2, 4)]


def problem():
    rng = np.random.default_rng(7)
    weights = [rng.normal(size=shape) for shape in SHAPES]
    slopes = [[rng.normal(size=s) * 2 for s in SHAPES] for _ in range(50)]
    return weights, slopes, [1e-2 / (1 + step / 10) for step in range(50)]


def by_kzoo(optimizer):
    weights, slopes, rates = problem()
    weights = [ops.convert_to_tensor(w.astype("float32")) for w in weights]
    first = second = [ops.zeros_like(w) for w in weights]
    manners = [optimizer.manner("w", shape) for shape in SHAPES]
    for step, (slope, rate) in enumerate(zip(slopes, rates, strict=True), start=1):
        slope = [ops.convert_to_tensor(g.astype("float32")) for g in slope]
        scalars = optimizer.scalars(step, rate)
        weights, first, second = optimizer.update(
            weights, slope, first, second, manners, scalars
        )
    return [ops.convert_to_numpy(w) for w in weights]


def by_float64(optimizer):
    """Algorithm 2 of Loshchilov and Hutter, line by line."""
    theta, slopes, rates = problem()
    m = [np.zeros_like(w) for w in theta]
    v = [np.zeros_like(w) for w in theta]
    for t, (slope, alpha) in enumerate(zip(slopes, rates, strict=True), start=1):
        norm = np.sqrt(sum((g**2).sum() for g in slope))
        for i, g in enumerate(slope):
            if optimizer.clip_norm is not None:
                g = g * min(1.0, optimizer.clip_norm / norm)
            m[i] = optimizer.beta_1 * m[i] + (1 - optimizer.beta_1) * g
            v[i] = optimizer.beta_2 * v[i] + (1 - optimizer.beta_2) * g**2
            m_hat = m[i] / (1 - optimizer.beta_1**t)
            v_hat = v[i] / (1 - optimizer.beta_2**t)
            decay = optimizer.weight_decay * theta[i] if theta[i].ndim > 1 else 0.0
            step = m_hat / (np.sqrt(v_hat) + optimizer.epsilon)
            theta[i] = theta[i] - alpha * (step + decay)
    return theta


OPTIMIZERS = [
    AdamW(),
    AdamW(beta_1=0.8, beta_2=0.95, epsilon=1e-3, weight_decay=0.5, clip_norm=0.3),
    AdamW(weight_decay=0.0, clip_norm=None),
]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_fifty_steps_equal_the_paper_in_float64(optimizer):
    for actual, expected in zip(by_kzoo(optimizer), by_float64(optimizer), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_fifty_steps_equal_torch(optimizer):
    torch = pytest.importorskip("torch", reason="the reference is PyTorch's AdamW")
    weights, slopes, rates = problem()
    weights = [
        torch.nn.Parameter(torch.tensor(w, dtype=torch.float32)) for w in weights
    ]
    groups = [
        {"params": [w for w in weights if w.ndim > 1]},
        {"params": [w for w in weights if w.ndim == 1], "weight_decay": 0.0},
    ]
    reference = torch.optim.AdamW(
        groups,
        betas=optimizer.betas,
        eps=optimizer.epsilon,
        weight_decay=optimizer.weight_decay,
    )
    for slope, rate in zip(slopes, rates, strict=True):
        for weight, g in zip(weights, slope, strict=True):
            weight.grad = torch.tensor(g, dtype=torch.float32)
        for group in reference.param_groups:
            group["lr"] = rate
        if optimizer.clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(weights, optimizer.clip_norm)
        reference.step()
    for actual, expected in zip(by_kzoo(optimizer), weights, strict=True):
        expected = expected.detach().numpy()
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_stepper_updates_as_the_paper_does(small, optimizer):
    """The compiled or fused update of this backend, on gradients chosen by the loss."""
    weights, slopes, rates = problem()
    inputs = {n: keras.Input(s, name=n) for n, s in zip("abc", SHAPES, strict=True)}
    layers = [Product(name=f"times_{n}") for n in "abc"]
    outputs = [
        layer(x) for layer, x in zip(layers, inputs.values(), strict=True)
    ]  # 3 x (B,)
    model = keras.Model(inputs, ops.stack(outputs, axis=-1))  # (B, 3)
    for layer, weight in zip(layers, weights, strict=True):
        layer.w.assign(weight)
    stepper = small.stepper(model, **vars(optimizer))
    stepper.loss = lambda labels, logits, weights: ops.sum(logits)
    for slope, rate in zip(slopes, rates, strict=True):
        batch = small.batch(rows=1)
        batch.inputs = {
            n: g[None].astype("float32") for n, g in zip("abc", slope, strict=True)
        }
        stepper.train(batch, rate)
    state = stepper.state()
    for name, expected in zip("abc", by_float64(optimizer), strict=True):
        np.testing.assert_allclose(
            state[f"times_{name}/w"], expected, rtol=1e-5, atol=2e-6
        )


class Product(keras.layers.Layer):
    """Sum of weights times inputs: its gradient is the input."""

    def build(self, input_shape):
        self.w = self.add_weight(shape=input_shape[1:], name="w")

    def call(self, inputs):
        return ops.sum(inputs * self.w, axis=tuple(range(1, len(inputs.shape))))  # (B,)


@pytest.mark.parametrize(
    "path, shape, expected",
    [
        ("encoder/block_0/attention/query/kernel", (8, 2, 4), True),
        ("encoder/block_0/attention/query/bias", (2, 4), False),
        ("encoder/tokens/embeddings", (20, 8), True),
        ("encoder/norm/gamma", (8,), False),
        ("encoder/norm/scale", (1, 8), False),
        ("encoder/norm/beta", (8,), False),
        ("encoder/position_bias", (2, 8), False),
        ("temperature", (), False),
    ],
)
def test_decays_matrices_and_embeddings_only(path, shape, expected):
    assert decays(path, shape) is expected


def test_scalars_keep_small_corrections_exact():
    scalars = AdamW(beta_2=0.999999).scalars(1, 0.5)
    np.testing.assert_allclose(scalars, [0.5, 0.1, 1e-6], rtol=1e-6)
    assert AdamW(beta_1=0.0).scalars(3, 1.0)[1] == 1.0
