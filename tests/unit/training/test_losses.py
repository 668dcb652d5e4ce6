import numpy as np
import pytest
from keras import ops

from kzoo.training.losses import make_loss


def loss_of(labels, logits, weights, **options):
    tensors = map(ops.convert_to_tensor, (labels, logits, weights))
    return float(make_loss("cross_entropy", **options)(*tensors))


def problem(*shape, classes=7):
    rng = np.random.default_rng(7)
    labels = rng.integers(0, classes, shape, dtype="int32")
    logits = rng.normal(size=(*shape, classes)).astype("float32") * 3
    return labels, logits


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1, 0.6])
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


def test_a_row_of_weight_zero_counts_for_nothing():
    labels, logits = problem(3)
    whole = loss_of(labels, logits, np.array([0.5, 0.5, 0], "float32"))
    part = loss_of(labels[:2], logits[:2], np.array([0.5, 0.5], "float32"))
    np.testing.assert_allclose(whole, part, rtol=1e-6)


def test_split_over_micro_batches_it_stays_the_same():
    labels, logits = problem(6)
    weights = np.full(6, 1 / 6, "float32")
    whole = loss_of(labels, logits, weights)
    parts = [
        loss_of(labels[s], logits[s], weights[s]) for s in (slice(0, 1), slice(1, 6))
    ]
    np.testing.assert_allclose(whole, sum(parts), rtol=1e-6)


def test_is_finite_for_huge_logits_and_computed_in_float32():
    labels = np.array([0, 1], "int32")
    logits = np.array([[1e4, -1e4], [1e4, -1e4]], "float32")
    weights = np.array([0.5, 0.5], "float32")
    assert loss_of(labels, logits, weights) == pytest.approx(1e4)
    low = ops.cast(ops.convert_to_tensor(logits), "bfloat16")
    assert loss_of(labels, low, weights) == pytest.approx(1e4, rel=1e-2)
