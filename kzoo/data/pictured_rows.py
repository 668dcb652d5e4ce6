"""Texts with their pictures and labels, all in memory but for the pictures."""

import dataclasses
import hashlib
import os

from kzoo.data.readers.rows import Rows


@dataclasses.dataclass(frozen=True)
class PicturedRows(Rows):
    """Texts, each with a picture, and their labels; further attributes as of `Rows`.

    Attributes:
        images: list of str, the paths of files; or of uint8 `(height, width, 3)`.
    """

    images: list = dataclasses.field(default_factory=list)

    def take(self, rows):
        """The rows at these positions."""
        taken = super().take(rows)
        return dataclasses.replace(taken, images=[self.images[row] for row in rows])

    @property
    def split_by(self):
        """What decides where a row falls: its picture, so that no two sides have it."""
        return [_name(image) for image in self.images]

    @property
    def comparable(self):
        """What is compared to find rows that are one: the text with its picture."""
        return [
            f"{text} {_name(image)}" if text.strip() else text
            for text, image in zip(self.texts, self.images, strict=True)
        ]


def _name(image):
    """A picture in 32 letters and digits, by its path or its pixels.

    However a table writes a path, `a/../b.png` or `./b.png`, it is one picture.
    """
    if isinstance(image, str):
        content = os.fsencode(os.path.normpath(image))
    else:
        content = image.tobytes()
    return hashlib.blake2b(content, digest_size=16).hexdigest()
