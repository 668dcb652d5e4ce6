"""Patches of images: against sums in float64, and against torch's convolution."""

import keras
import numpy as np
import pytest
from helpers.layers import assert_close, fill, weights_of
from helpers.torch_weights import numpy_of

from kzoo.layers import PatchEmbedding

D, HEIGHT, WIDTH = 5, 6, 9
rng = np.random.default_rng(3)


def images(channels=3, height=HEIGHT, width=WIDTH):
    return rng.normal(size=(2, height, width, channels)).astype("float32")


def by_hand(pixels, kernel, bias, size):
    """Patch by patch, colour by colour, as the paper cuts them."""
    vectors = []
    for top in range(0, pixels.shape[1], size):
        for left in range(0, pixels.shape[2], size):
            total = np.zeros((len(pixels), kernel.shape[1]))
            for row in range(size):
                for column in range(size):
                    for colour in range(pixels.shape[3]):
                        value = pixels[:, top + row, left + column, colour]
                        place = (row * size + column) * pixels.shape[3] + colour
                        total += value[:, None] * kernel[place]
            vectors.append(total + bias)
    return np.stack(vectors, axis=1)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("use_bias", [True, False])
def test_is_the_papers(channels, use_bias):
    layer = PatchEmbedding(3, D, use_bias=use_bias, num_channels=channels)
    pixels = images(channels)
    assert layer(pixels).shape == (2, 6, D)
    weights = weights_of(fill(layer))
    bias = weights.get("projection/bias", 0.0)
    expected = by_hand(pixels.astype("float64"), weights["projection/kernel"], bias, 3)
    assert_close(layer(pixels), expected)


def test_is_the_convolution_of_torch():
    torch = pytest.importorskip("torch", reason="compares with torch.nn.Conv2d")
    module = torch.nn.Conv2d(3, D, kernel_size=3, stride=3, device="cpu")
    pixels, layer = images(), PatchEmbedding(3, D)
    layer.build(pixels.shape)
    weight = numpy_of(module.weight)  # (D, C, p, p)
    kernel = weight.transpose(2, 3, 1, 0).reshape(-1, D)
    layer.projection.kernel.assign(kernel)
    layer.projection.bias.assign(numpy_of(module.bias))
    seen = module(torch.tensor(pixels.transpose(0, 3, 1, 2)))  # (B, D, rows, columns)
    assert_close(layer(pixels), numpy_of(seen.flatten(2).transpose(1, 2)))


def test_is_known_before_it_runs_and_comes_back_from_its_config():
    layer = PatchEmbedding(3, D, use_bias=False)
    symbolic = layer(keras.Input((HEIGHT, WIDTH, 3)))
    assert symbolic.shape == (None, 6, D)
    assert layer(keras.Input((None, None, 3))).shape == (None, None, D)
    again = PatchEmbedding.from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    half = PatchEmbedding(3, D, dtype="mixed_bfloat16")(images())
    assert keras.backend.standardize_dtype(half.dtype) == "bfloat16"


@pytest.mark.parametrize(
    "pixels, message",
    [
        (images(4), r"the channels last. Received: pixels of shape \(2, 6, 9, 4\)"),
        (
            images(height=7),
            r"multiples of `patch_size`, 3. Received: pixels of shape \(2, 7, 9, 3\)",
        ),
        (images()[0], r"Received: pixels of shape \(6, 9, 3\)"),
        (images().transpose(0, 3, 1, 2), r"Received: pixels of shape \(2, 3, 6, 9\)"),
        (np.zeros((2, HEIGHT, WIDTH, 3), "uint8"), "Received: pixels of dtype uint8"),
    ],
)
def test_refuses_what_is_no_image(pixels, message):
    with pytest.raises(ValueError, match=message):
        PatchEmbedding(3, D)(pixels)


def test_sizes_are_integers():
    with pytest.raises(ValueError, match="Received: patch_size=0"):
        PatchEmbedding(0, D)
    with pytest.raises(ValueError, match=r"Received: hidden_dim=2\.5"):
        PatchEmbedding(3, 2.5)
