"""What models that see need: the input of images, and pictures made ready for it."""

import dataclasses
import os

import keras
import numpy as np

from kzoo.images import CLIP, ImageSettings, pixels_of, prepare
from kzoo.models.inputs import listed


def image_inputs(encoder):
    """The symbolic input of a model that sees through a `kzoo.layers.ImageEncoder`.

    Returns:
        dict of `pixels`, float `(B, size, size, C)`.
    """
    size, channels = encoder.image_size, encoder.embedding.patches.num_channels
    return {"pixels": keras.Input((size, size, channels), name="pixels")}


def settings_of(images, encoder):
    """How pictures are made ready for an encoder, `ImageSettings`.

    Args:
        images: dict of arguments of `ImageSettings`; `None` means CLIP's way.
        encoder: `kzoo.layers.ImageEncoder`.

    Raises:
        ValueError: if they are made ready at another size than the encoder reads.
    """
    if images is None:
        return dataclasses.replace(CLIP, size=encoder.image_size)
    settings = ImageSettings(**images)
    if settings.size != encoder.image_size:
        raise ValueError(
            "Pictures must be made ready at the size that the encoder reads. Received: "
            f"size={settings.size}, image_size={encoder.image_size}"
        )
    return settings


def prepared(images, settings):
    """A list with a function for each of some images, which gives its pixels.

    Args:
        images: list of what `kzoo.images.pixels_of` takes, or one of them; or a float
            array `(I, size, size, C)`, which is taken as it is.
        settings: `ImageSettings`.
    """
    if isinstance(images, np.ndarray) and images.dtype.kind == "f":
        if images.ndim != 4 or set(images.shape[1:3]) != {settings.size}:
            raise ValueError(
                "Images that are prepared have the shape "
                f"(I, {settings.size}, {settings.size}, channels). "
                f"Received: images of shape {images.shape}"
            )
        return [lambda image=image: image for image in images.astype("float32")]
    if isinstance(images, str | os.PathLike) or _is_one(images):
        images = [images]

    def ready(image, name):
        called = str(image) if isinstance(image, str | os.PathLike) else name
        return prepare(pixels_of(image, name), settings, called)

    return [
        lambda image=image, place=place: ready(image, f"images[{place}]")
        for place, image in enumerate(listed(images, "images", "images"))
    ]


def _is_one(image):
    """Whether it is one image, and no list of them."""
    if isinstance(image, np.ndarray):
        return image.ndim == 3
    return hasattr(image, "getbands")
