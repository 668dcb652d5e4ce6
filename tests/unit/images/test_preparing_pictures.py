"""Pictures of one size and one range, and settings that are refused."""

import sys

import numpy as np
import pytest
from kzoo_recipes import KzooError

from kzoo.images import CLIP, ImageSettings, prepare


def picture(height, width):
    rng = np.random.default_rng(7)
    return rng.integers(0, 256, (height, width, 3), "uint8")


@pytest.mark.parametrize("shape", [(8, 8), (5, 9), (30, 7), (1, 100)])
@pytest.mark.parametrize("resize", ["shortest", "square"])
def test_one_size_for_all(shape, resize):
    prepared = prepare(picture(*shape), ImageSettings(size=6, resize=resize))
    assert (prepared.dtype, prepared.shape) == ("float32", (6, 6, 3))
    assert np.isfinite(prepared).all()


def test_numbers_are_moved_and_scaled():
    image = picture(4, 4)
    settings = ImageSettings(size=4, mean=(0.1, 0.2, 0.3), std=(0.5, 1, 2))
    expected = (image / 255 - np.array([0.1, 0.2, 0.3])) / np.array([0.5, 1, 2])
    np.testing.assert_allclose(prepare(image, settings), expected, atol=1e-6)


def test_the_middle_is_cut_out():
    image = np.zeros((4, 10, 3), "uint8")
    image[:, 3:7] = 255
    prepared = prepare(image, ImageSettings(size=4, mean=(0, 0, 0), std=(1, 1, 1)))
    np.testing.assert_array_equal(prepared, np.ones((4, 4, 3)))


def test_a_picture_of_the_right_size_needs_no_pillow(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert prepare(picture(6, 6), ImageSettings(size=6)).shape == (6, 6, 3)
    with pytest.raises(KzooError, match=r"resized by Pillow; `pip install \"kzoo\["):
        prepare(picture(7, 6), ImageSettings(size=6, resize="square"))


def test_a_thread_is_refused():
    with pytest.raises(KzooError, match="of 40,000 × 1 pixels, one side is too long"):
        prepare(np.zeros((1, 40_000, 3), "uint8"), CLIP)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"size": 0}, "`size` must be an int from 1 to 4096. Received: size=0"),
        ({"size": True}, "Received: size=True"),
        ({"resize": "longest"}, 'one of "shortest", "square". Received: resize='),
        ({"resample": "box"}, "Received: resample='box'"),
        ({"resized_to": 100}, "an int from 224 to 4096. Received: resized_to=100"),
        ({"resized_to": 256, "resize": "square"}, "`resized_to` is of use only with"),
        ({"mean": (0.5, 0.5)}, "`mean` must be 3 finite numbers"),
        ({"std": (0.5, 0.5, 0.0)}, "`std` must be positive. Received: std="),
        ({"std": (0.5, 0.5, float("nan"))}, "`std` must be 3 finite numbers"),
    ],
)
def test_settings_that_are_refused(options, said):
    with pytest.raises(ValueError) as error:
        ImageSettings(**options)
    assert said in str(error.value)


def test_settings_come_back():
    config = ImageSettings(size=32, resized_to=40, mean=[0, 1, 0.5]).get_config()
    assert ImageSettings(**config).get_config() == config
