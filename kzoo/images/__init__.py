"""Pictures as numbers: read from files, and made ready for a model. No Keras.

Pillow reads and resizes; it starts inside the functions that need it.
"""

from kzoo.images.pixels import pixels_of
from kzoo.images.prepare import normalised, prepare, sized
from kzoo.images.reading import (
    MOST_PIXELS,
    Picture,
    is_address,
    note_of_several,
    open_picture,
    read,
)
from kzoo.images.settings import CLIP, VIT, ImageSettings

__all__ = [
    "CLIP",
    "MOST_PIXELS",
    "VIT",
    "ImageSettings",
    "Picture",
    "is_address",
    "normalised",
    "note_of_several",
    "open_picture",
    "pixels_of",
    "prepare",
    "read",
    "sized",
]
