"""Pictures are made ready as transformers does, number by number."""

import numpy as np
import pytest

from kzoo.images import CLIP, VIT, ImageSettings, prepare

transformers = pytest.importorskip("transformers")

SHAPES = [(224, 224), (301, 400), (500, 233), (60, 97)]


def picture(height, width):
    rng = np.random.default_rng(height)
    coarse = rng.integers(0, 256, (height // 10 + 1, width // 10 + 1, 3), "uint8")
    return np.kron(coarse, np.ones((10, 10, 1), "uint8"))[:height, :width]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "kind, settings, options",
    [
        ("CLIPImageProcessorPil", CLIP, {}),
        ("ViTImageProcessorPil", VIT, {}),
        (
            "CLIPImageProcessorPil",
            ImageSettings(64, resized_to=80, resample="lanczos"),
            {
                "size": {"shortest_edge": 80},
                "crop_size": {"height": 64, "width": 64},
                "resample": 1,
                "image_mean": [0.5] * 3,
                "image_std": [0.5] * 3,
            },
        ),
    ],
    ids=["clip", "vit", "cut from larger"],
)
def test_same_numbers(kind, settings, options, shape):
    image = picture(*shape)
    processor = getattr(transformers, kind)(**options)
    expected = processor(image, return_tensors="np", input_data_format="channels_last")
    expected = expected["pixel_values"][0].transpose(1, 2, 0)
    np.testing.assert_allclose(prepare(image, settings), expected, atol=2e-6)
