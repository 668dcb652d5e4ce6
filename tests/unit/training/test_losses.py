"""Losses against float64 NumPy written from the papers, and against others' own."""

import keras
import numpy as np
import pytest
from keras import ops

from kzoo.training.losses import LOSSES, make_loss

ROWS, CLASSES = 6, 7
UNIFORM = np.full(ROWS, 1 / ROWS, "float32")
UNEVEN = np.array([0.3, 0.0, 0.25, 0.05, 0.3, 0.1], "float32")
SMOOTHED = [0.0, 0.1, 0.6]
GAMMAS = [0.0, 0.5, 1.0, 2.0, 5.0]
# Those that read more than logits have their tests in tests/unit/layers/test_paths.py
# and tests/reference/test_copying_reference.py; that of each token by itself, in
# tests/unit/training/test_masked_runs.py.
ONE_BY_ONE = sorted(set(LOSSES) - {"copy", "crf", "each_token"})


def loss_of(labels, logits, weights, name="cross_entropy", **options):
    tensors = map(ops.convert_to_tensor, (labels, logits, weights))
    return float(make_loss(name, **options)(*tensors))


def gradient_of(labels, logits, weights, name, **options):
    """The gradient of the loss by the logits, on the backend that runs."""
    loss = make_loss(name, **options)
    backend = keras.backend.backend()
    if backend == "jax":
        import jax

        return np.asarray(jax.grad(lambda z: loss(labels, z, weights))(logits))
    labels, weights = ops.convert_to_tensor(labels), ops.convert_to_tensor(weights)
    if backend == "tensorflow":
        import tensorflow as tf

        logits = tf.convert_to_tensor(logits)
        with tf.GradientTape() as tape:
            tape.watch(logits)
            value = loss(labels, logits, weights)
        return tape.gradient(value, logits).numpy()
    logits = ops.convert_to_tensor(logits).requires_grad_()
    loss(labels, logits, weights).backward()
    return logits.grad.numpy()


def problem(*shape, classes=CLASSES):
    rng = np.random.default_rng(7)
    labels = rng.integers(0, classes, shape, dtype="int32")
    logits = rng.normal(size=(*shape, classes)).astype("float32") * 3
    return labels, logits


def questions():
    """Labels that do not exclude each other."""
    _, logits = problem(ROWS)
    labels = np.random.default_rng(8).integers(0, 2, (ROWS, CLASSES)).astype("float32")
    labels[0] = 0  # A row may have none.
    return labels, logits


def softmax_reference(labels, logits, weights, label_smoothing=0.0, focal_gamma=0.0):
    """Lin et al. (2017), equation 4, of the smoothed target, in float64."""
    z = logits.astype("float64")
    p = np.exp(z - z.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    target = np.eye(z.shape[-1])[labels]
    target = target * (1 - label_smoothing) + label_smoothing / z.shape[-1]
    terms = -target * (1 - p) ** focal_gamma * np.log(p)
    return (weights.astype("float64") * terms.sum(axis=-1)).sum()


def sigmoid_reference(labels, logits, weights, label_smoothing=0.0, focal_gamma=0.0):
    p = 1 / (1 + np.exp(-logits.astype("float64")))
    target = labels * (1 - label_smoothing) + label_smoothing / 2
    yes = -((1 - p) ** focal_gamma) * np.log(p)
    no = -(p**focal_gamma) * np.log(1 - p)
    terms = target * yes + (1 - target) * no
    return (weights.astype("float64") * terms.mean(axis=-1)).sum()


def torchvision_reference(labels, logits, gamma):
    """`torchvision.ops.sigmoid_focal_loss` without alpha, line by line, in float64."""
    inputs, targets = logits.astype("float64"), labels.astype("float64")
    p = 1 / (1 + np.exp(-inputs))
    ce_loss = -(targets * np.log(p) + (1 - targets) * np.log(1 - p))
    p_t = p * targets + (1 - p) * (1 - targets)
    return (ce_loss * ((1 - p_t) ** gamma)).mean()


@pytest.mark.parametrize("label_smoothing", SMOOTHED)
@pytest.mark.parametrize("shape", [(6,), (4, 5)])
def test_equals_torch(shape, label_smoothing):
    torch = pytest.importorskip("torch", reason="the reference is PyTorch's loss")
    labels, logits = problem(*shape)
    weights = np.full(shape, 1 / labels.size, "float32")
    expected = torch.nn.functional.cross_entropy(
        torch.tensor(logits.reshape(-1, 7)),
        torch.tensor(labels.reshape(-1)).long(),
        label_smoothing=label_smoothing,
    )
    actual = loss_of(labels, logits, weights, label_smoothing=label_smoothing)
    np.testing.assert_allclose(actual, float(expected), rtol=1e-6)


@pytest.mark.parametrize("weights", [UNIFORM, UNEVEN], ids=["uniform", "uneven"])
@pytest.mark.parametrize("label_smoothing", SMOOTHED)
@pytest.mark.parametrize("focal_gamma", GAMMAS)
def test_focal_equals_the_paper(focal_gamma, label_smoothing, weights):
    options = {"focal_gamma": focal_gamma, "label_smoothing": label_smoothing}
    for name, reference, (labels, logits) in (
        ("focal", softmax_reference, problem(ROWS)),
        ("sigmoid_focal", sigmoid_reference, questions()),
    ):
        np.testing.assert_allclose(
            loss_of(labels, logits, weights, name, **options),
            reference(labels, logits, weights, **options),
            rtol=2e-6,
        )


@pytest.mark.parametrize("label_smoothing", SMOOTHED)
def test_focal_of_gamma_zero_is_cross_entropy(label_smoothing):
    options = {"label_smoothing": label_smoothing}
    for plain, focal, (labels, logits) in (
        ("cross_entropy", "focal", problem(ROWS)),
        ("sigmoid_cross_entropy", "sigmoid_focal", questions()),
    ):
        np.testing.assert_allclose(
            loss_of(labels, logits, UNEVEN, focal, focal_gamma=0.0, **options),
            loss_of(labels, logits, UNEVEN, plain, **options),
            rtol=1e-6,
        )


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
@pytest.mark.parametrize("gamma", [1.0, 2.0])
def test_focal_equals_keras(gamma, label_smoothing):
    labels, logits = problem(ROWS)
    theirs = keras.losses.CategoricalFocalCrossentropy(
        alpha=1.0, gamma=gamma, from_logits=True, label_smoothing=label_smoothing
    )
    np.testing.assert_allclose(
        loss_of(
            *(labels, logits, UNIFORM, "focal"),
            focal_gamma=gamma,
            label_smoothing=label_smoothing,
        ),
        float(theirs(np.eye(CLASSES, dtype="float32")[labels], logits)),
        rtol=1e-5,  # Keras cuts probabilities off at 1e-7.
    )


@pytest.mark.parametrize("gamma", [1.0, 2.0, 3.5])
def test_binary_focal_equals_keras_and_torchvision(gamma):
    labels, logits = questions()
    actual = loss_of(labels, logits, UNIFORM, "sigmoid_focal", focal_gamma=gamma)
    theirs = keras.losses.BinaryFocalCrossentropy(gamma=gamma, from_logits=True)
    assert actual == pytest.approx(float(theirs(labels, logits)), rel=1e-5)
    theirs = torchvision_reference(labels, logits, gamma)
    assert actual == pytest.approx(theirs, rel=2e-6)


@pytest.mark.parametrize("label_smoothing", SMOOTHED)
def test_binary_cross_entropy_equals_keras(label_smoothing):
    labels, logits = questions()
    theirs = keras.losses.BinaryCrossentropy(
        from_logits=True, label_smoothing=label_smoothing
    )
    options = {"name": "sigmoid_cross_entropy", "label_smoothing": label_smoothing}
    actual = loss_of(labels, logits, UNIFORM, **options)
    assert actual == pytest.approx(float(theirs(labels, logits)), rel=1e-6)


def test_class_weights_of_labels_equal_torchs_pos_weight():
    torch = pytest.importorskip("torch", reason="the reference is PyTorch's loss")
    labels, logits = questions()
    positive = np.linspace(0.5, 20, CLASSES)
    expected = torch.nn.functional.binary_cross_entropy_with_logits(
        torch.tensor(logits), torch.tensor(labels), pos_weight=torch.tensor(positive)
    )
    actual = loss_of(
        *(labels, logits, UNIFORM, "sigmoid_cross_entropy"),
        class_weights=np.stack([np.ones(CLASSES), positive]),
    )
    assert actual == pytest.approx(float(expected), rel=1e-6)


def test_class_weights_in_the_row_weights_equal_torchs_weight():
    torch = pytest.importorskip("torch", reason="the reference is PyTorch's loss")
    labels, logits = problem(ROWS)
    of_class = np.linspace(0.5, 20, CLASSES)
    expected = torch.nn.functional.cross_entropy(
        torch.tensor(logits, dtype=torch.float64),
        torch.tensor(labels).long(),
        weight=torch.tensor(of_class),
    )
    weights = of_class[labels] / of_class[labels].sum()
    actual = loss_of(labels, logits, weights.astype("float32"))
    assert actual == pytest.approx(float(expected), rel=1e-6)


def cases():
    """Every loss with labels that fit it."""
    for name in ONE_BY_ONE:
        labels, logits = questions() if name.startswith("sigmoid") else problem(ROWS)
        yield name, labels, logits


def test_a_row_of_weight_zero_counts_for_nothing():
    for name, labels, logits in cases():
        other = logits.copy()
        other[1] = 1e30 * np.sign(logits[1])
        whole = loss_of(labels, logits, UNEVEN, name)
        assert loss_of(labels, other, UNEVEN, name) == whole, name
        gradient = gradient_of(labels, other, UNEVEN, name)
        assert np.isfinite(gradient).all(), name
        assert not gradient[1].any() and gradient[0].any(), name


def test_split_over_micro_batches_it_stays_the_same():
    for name, labels, logits in cases():
        whole = loss_of(labels, logits, UNEVEN, name)
        parts = [
            loss_of(labels[s], logits[s], UNEVEN[s], name)
            for s in (slice(0, 3), slice(3, 6))
        ]
        np.testing.assert_allclose(whole, sum(parts), rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_is_finite_for_huge_logits_right_or_wrong(label_smoothing):
    sure = -np.ones((ROWS, CLASSES), "float32")
    sure[:, 0] = 1
    sure *= np.array([1e4, 1e4, 0, 1e30, 1e30, 100], "float32")[:, None]
    right = np.array([0, 1, 1, 1, 0, 1], "int32")
    for name in ONE_BY_ONE:
        several = name.startswith("sigmoid")
        labels = np.eye(CLASSES, dtype="float32")[right] if several else right
        for gamma in [0.0, 0.5, 2.0] if name.endswith("focal") else [None]:
            options = {} if gamma is None else {"focal_gamma": gamma}
            options["label_smoothing"] = label_smoothing
            value = loss_of(labels, sure, UNIFORM, name, **options)
            gradient = gradient_of(labels, sure, UNIFORM, name, **options)
            assert np.isfinite(value) and value > 0, (name, gamma)
            assert np.isfinite(gradient).all(), (name, gamma)
            # A wrong answer is pulled back however sure it is.
            for row in (1, 3, 5):
                assert gradient[row, 0] > 0 > gradient[row, 1], (name, gamma, row)


@pytest.mark.parametrize("focal_gamma", [0.5, 2.0])
def test_gradients_equal_the_papers_by_differences(focal_gamma):
    options = {"focal_gamma": focal_gamma, "label_smoothing": 0.1}
    for name, reference, (labels, logits) in (
        ("focal", softmax_reference, problem(ROWS)),
        ("sigmoid_focal", sigmoid_reference, questions()),
    ):
        actual = gradient_of(labels, logits, UNEVEN, name, **options)
        expected = np.zeros(logits.shape)
        for at in np.ndindex(logits.shape):
            step = np.zeros(logits.shape)
            step[at] = 1e-5
            up, down = (
                reference(labels, logits.astype("float64") + d, UNEVEN, **options)
                for d in (step, -step)
            )
            expected[at] = (up - down) / 2e-5
        np.testing.assert_allclose(actual, expected, atol=2e-6, err_msg=name)


def test_computes_in_float32():
    for name, labels, logits in cases():
        low = ops.cast(ops.convert_to_tensor(1000 * logits), "bfloat16")
        tensors = ops.convert_to_tensor(labels), low, ops.convert_to_tensor(UNIFORM)
        value = make_loss(name)(*tensors)
        assert keras.backend.standardize_dtype(value.dtype) == "float32"
        exact = loss_of(labels, 1000 * logits, UNIFORM, name)
        assert float(value) == pytest.approx(exact, rel=1e-2)
