"""From the pixels of a picture to the numbers a model is given."""

import numpy as np
from kzoo_recipes import KzooError

from kzoo.images.library import pillow
from kzoo.images.reading import MOST_PIXELS


def prepare(image, settings, named="the picture"):
    """Resize, cut and normalise a picture.

    Args:
        image: uint8 `(height, width, 3)`.
        settings: `ImageSettings`.
        named: str. What errors call the picture.

    Returns:
        float32 `(size, size, 3)`.

    Raises:
        KzooError: if it must be resized and Pillow is missing, or it is so long and
            narrow that it would not fit into memory.
    """
    return normalised(sized(image, settings, named), settings)


def sized(image, settings, named="the picture"):
    """A picture in the size of the settings, its numbers as they are.

    Args:
        image: uint8 `(height, width, 3)`.
        settings: `ImageSettings`.
        named: str. What errors call the picture.

    Returns:
        uint8 `(size, size, 3)`.
    """
    return _cut(_resized(image, settings, named), settings.size)


def normalised(image, settings):
    """A picture from 0 to 255 in the range of the settings.

    Args:
        image: uint8 `(size, size, 3)`.
        settings: `ImageSettings`.

    Returns:
        float32 `(size, size, 3)`.
    """
    mean, std = (np.array(one, "float32") for one in (settings.mean, settings.std))
    scaled = image.astype("float32") * np.float32(1 / 255)
    return (scaled - mean) / std


def _resized(image, settings, named):
    """The picture with the sides that the settings say, uint8."""
    height, width = image.shape[:2]
    wanted = settings.size, settings.size
    if settings.resize == "shortest":
        short = settings.shortest_side
        # The longer side is rounded down, as in transformers.
        wanted = tuple(
            max(short, int(short * side / min(height, width)))
            for side in (height, width)
        )
    if wanted == (height, width):
        return image
    if wanted[0] * wanted[1] > MOST_PIXELS:
        raise KzooError(
            f"{named}: of {width:,} × {height:,} pixels, one side is too long for the "
            f"other; cut it, or say that it becomes a square."
        )
    Image, _ = pillow(f"{named}: pictures are resized")
    resample = Image.Resampling[settings.resample.upper()]
    # Pillow says width and height, arrays height and width.
    return np.asarray(Image.fromarray(image).resize(wanted[::-1], resample))


def _cut(image, size):
    """The middle of a picture."""
    top, left = ((side - size) // 2 for side in image.shape[:2])
    return image[top : top + size, left : left + size]
