"""What a caller may hand over as a picture: a file, an array or one of Pillow's."""

import os

import numpy as np

from kzoo.images.library import pillow
from kzoo.images.reading import check_size, colours, read


def pixels_of(image, name="image"):
    """A picture as uint8 `(height, width, 3)`.

    Args:
        image: str or path of a file; uint8 array `(height, width, 3)`; or
            `PIL.Image.Image`, which is read as a file is.
        name: str. What the caller knows it as.

    Returns:
        uint8 `(height, width, 3)`.

    Raises:
        KzooError: if a file cannot be read.
        TypeError: if it is something else.
        ValueError: if an array has another shape.
    """
    if isinstance(image, str | os.PathLike):
        return read(image)
    if isinstance(image, np.ndarray):
        return _checked(image, name)
    if hasattr(image, "getbands") and hasattr(image, "convert"):  # Pillow's own.
        Image, ImageOps = pillow("pictures are read")
        check_size(image.size, name)
        return colours(Image, ImageOps, image, name)
    raise TypeError(
        f"`{name}` must be a file, an array or a picture of Pillow. "
        f"Received: {name} of type {type(image).__name__}"
    )


def _checked(image, name):
    if image.dtype != np.uint8:
        raise TypeError(
            f"`{name}` must hold uint8, from 0 to 255. "
            f"Received: {name} of dtype {image.dtype}"
        )
    if image.ndim != 3 or image.shape[2] != 3 or not image.size:
        raise ValueError(
            f"`{name}` must have the shape (height, width, 3), and no side of 0. "
            f"Received: {name}.shape={image.shape}"
        )
    return image
