"""PyTorch's own operations against the portable ones that they stand for."""

import keras
import numpy as np
import pytest
from helpers.layers import assert_close, fill

from kzoo.layers import native

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "torch", reason="they are PyTorch's"
)
rng = np.random.default_rng(0)


@pytest.fixture
def torch():
    """PyTorch where nothing looks back, as when texts are written."""
    import torch

    with torch.inference_mode():
        yield torch


@pytest.mark.parametrize("rows", [(2, 3), (1, 8), (3, 3), (8, 4), (3, 11)])
@pytest.mark.parametrize("vocabulary_size", [100, 256, 300])
def test_scores_by_blocks(torch, rows, vocabulary_size):
    hidden = rng.normal(size=(*rows, 16)).astype("float32")
    table = rng.normal(size=(vocabulary_size, 16)).astype("float32")
    found = native.operations.score(*map(torch.as_tensor, (hidden, table)))
    assert_close(found, hidden.astype("float64") @ table.T.astype("float64"), atol=2e-6)


@pytest.mark.parametrize(
    "layer",
    [
        keras.layers.RMSNormalization(epsilon=1e-6),
        keras.layers.LayerNormalization(epsilon=1e-5),
        keras.layers.LayerNormalization(axis=[-1], center=False, scale=False),
    ],
    ids=["rms", "layer", "bare"],
)
def test_norms(torch, layer):
    layer.build((2, 5, 6))
    fill(layer, 1)
    x = torch.as_tensor(rng.normal(size=(2, 5, 6)).astype("float32"))
    found = native.operations.normalise(layer, x)
    assert_close(found, np.asarray(layer.call(x), "float64"), atol=2e-6)


def test_sources_are_read_by_length(torch):
    from kzoo.layers import TransformerEncoder

    encoder = TransformerEncoder(
        vocabulary_size=9, hidden_dim=8, num_layers=1, num_heads=2, intermediate_dim=8
    )
    token_ids = torch.as_tensor(rng.integers(0, 9, (5, 70)))
    mask = torch.arange(70) < torch.as_tensor([33, 70, 1, 32, 40])[:, None]
    mask[4, :5] = False  # Padding before the text, and a hole in it.
    mask[4, 20] = False
    found = native.operations.encode(encoder, token_ids, mask)
    expected = native.encode(encoder, token_ids, mask)
    assert found.shape == expected.shape
    assert_close(found[mask], np.asarray(expected[mask], "float64"), atol=2e-6)


@pytest.mark.parametrize("bias_heads", [1, 4])
def test_cached_attention_of_grouped_heads(torch, bias_heads):
    queries, keys, values, bias = (
        torch.as_tensor(rng.normal(size=shape).astype("float32"))
        for shape in ((2, 3, 4, 6), (2, 2, 5, 6), (2, 2, 5, 6), (2, bias_heads, 3, 5))
    )
    from kzoo.layers.kernels import cached

    arguments = (queries, keys, values, bias, 0.3)
    found = native.operations.fused_cached_attention(*arguments)
    assert_close(found, np.asarray(cached.explicit(*arguments, None)[0], "float64"))


@pytest.mark.parametrize("levels", [9, 10**6], ids=["ties", "different"])
@pytest.mark.parametrize("count", [1, 2, 8])
def test_best_by_blocks(torch, count, levels):
    from kzoo.generation.programs.torch import BLOCK, best

    scores = rng.integers(0, levels, (2, 3, 40 * BLOCK + 7)).astype("float32")
    scores[0, 0, -1] = scores[0, 1, 0] = levels  # In the rest, and in the first block.
    ids, values = best(torch.as_tensor(scores), count, "logits")
    expected = np.argsort(-scores, axis=-1, kind="stable")[..., :count]
    np.testing.assert_array_equal(ids, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(scores, expected, -1))
