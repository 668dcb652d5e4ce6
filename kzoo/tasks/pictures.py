"""Pictures on their way to a model: read once beforehand, then kept or read again."""

import dataclasses
import hashlib

import numpy as np

from kzoo.data.batches import TrainingBatches
from kzoo.images import normalised, open_picture, sized

KEPT = 1 << 30  # bytes of pictures, in the size of the model, that stay in memory


@dataclasses.dataclass(frozen=True)
class PictureFile:
    """A picture that is read whenever it is asked for.

    Attributes:
        path: str.
        where: str. Its row, for errors.
        settings: `ImageSettings`.
    """

    path: str
    where: str
    settings: object

    def read(self):
        """The picture in the size of the model, uint8, and whether it is one of several
        in its file."""
        pixels, several = open_picture(self.path, self.where)
        named = f"{self.where}: {self.path}"
        return sized(pixels, self.settings, named), several


def gather(rows, settings, room=KEPT):
    """Read all pictures of rows once, and keep those for which there is room.

    Args:
        rows: `kzoo.data.pictured.PicturedRows`.
        settings: `ImageSettings`.
        room: int. Bytes.

    Returns:
        list of uint8 `(size, size, 3)`, or of `PictureFile` where there is no room;
        uint8 `(rows, 16)`, the digest of each; how many files hold several pictures;
        and how much room is left.

    Raises:
        KzooError: naming the row and the file of the first that cannot be read.
    """
    found, known, digests, moving = [], {}, [], 0
    for row, image in enumerate(rows.images):
        if isinstance(image, str):
            if image not in known:
                file = PictureFile(image, rows.where(row), settings)
                pixels, several = file.read()
                moving += several
                kept = pixels if pixels.nbytes <= room else file
                room -= pixels.nbytes if kept is pixels else 0
                known[image] = kept, digest_of(pixels)
            kept, digest = known[image]
        else:
            kept = sized(image, settings, rows.where(row))
            digest = digest_of(kept)
        found.append(kept)
        digests.append(digest)
    return found, np.array(digests, "uint8").reshape(-1, 16), moving, room


def digest_of(pixels):
    """The digest of a picture, a list of 16 numbers."""
    return list(hashlib.blake2b(pixels.tobytes(), digest_size=16).digest())


def pixels_for(images, settings, size):
    """Pictures as a model reads them, float32 `(B, size, size, 3)`, then zeros.

    Args:
        images: list, as `gather` gives it, of at most B.
        settings: `ImageSettings`.
        size: int. B.
    """
    pixels = np.zeros((size, settings.size, settings.size, 3), "float32")
    for place, image in enumerate(images):
        image = image if isinstance(image, np.ndarray) else image.read()[0]
        pixels[place] = normalised(image, settings)
    return pixels


class PicturedBatches(TrainingBatches):
    """Batches of texts with their pictures, which are made ready batch by batch.

    Args:
        images: list, as `gather` gives it.
        settings: `ImageSettings`.
        *args, **kwargs: of `TrainingBatches`.
    """

    def __init__(self, images, settings, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._images, self._settings = images, settings

    def _batch(self, rows, shares):
        batch = super()._batch(rows, shares)
        images = [self._images[row] for row in rows]
        pixels = pixels_for(images, self._settings, len(batch.labels))
        return dataclasses.replace(batch, inputs={"pixels": pixels, **batch.inputs})
