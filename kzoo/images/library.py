"""Pillow, or the sentence that says how to get it."""

from kzoo_recipes import KzooError


def pillow(what):
    """The modules `PIL.Image` and `PIL.ImageOps`.

    Args:
        what: str. What is done with them, as the beginning of a sentence.

    Raises:
        KzooError: if Pillow is not installed.
    """
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise KzooError(
            f'{what} by Pillow; `pip install "kzoo[images]"` brings it.'
        ) from None
    return Image, ImageOps
