"""A picture from a file, as red, green and blue; or the sentence that says why not."""

import re
import stat
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from kzoo_recipes import KzooError

from kzoo.images.library import pillow

# Pictures alone: of other formats, Pillow starts programs to read some.
FORMATS = (
    *("AVIF", "BMP", "GIF", "JPEG", "JPEG2000", "MPO"),
    *("PNG", "PPM", "TIFF", "WEBP"),
)
MOST_PIXELS = 1 << 26  # 8192 × 8192: 192 MiB as red, green and blue
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://|data:", re.IGNORECASE)
DEEP = ("I;16", "I;16L", "I;16B", "I;16N", "I")


class Picture(NamedTuple):
    """What a file holds.

    Attributes:
        pixels: uint8 `(height, width, 3)`, red, green and blue.
        several: bool. Whether there are further frames or pages, which are not read.
    """

    pixels: np.ndarray
    several: bool


def read(path, where=None, most_pixels=MOST_PIXELS):
    """The pixels of a file's first picture.

    Args:
        path: as for `open_picture`, with its errors.
        where: likewise.
        most_pixels: likewise.

    Returns:
        uint8 `(height, width, 3)`.
    """
    return open_picture(path, where, most_pixels).pixels


def open_picture(path, where=None, most_pixels=MOST_PIXELS):
    """Read a file of pixels, whatever its colours.

    Greys and palettes become red, green and blue; what is transparent lies on white; of
    16 bits the upper 8 are kept; the picture is turned as its EXIF data says. Of a
    moving picture, the first frame is read.

    Args:
        path: str or `Path`.
        where: str. What names the file, such as `rows.csv, line 3`; errors begin with
            it. `None` names the file alone.
        most_pixels: int. A picture with more is refused before it takes memory.

    Returns:
        `Picture`.

    Raises:
        KzooError: if Pillow is missing, or if there is no such file, or it is not whole
            or too large.
    """
    named = f"{path}" if where is None else f"{where}: {path}"
    Image, ImageOps = pillow(f"{named}: pictures are read")
    try:
        _check_file(path, named)
        with warnings.catch_warnings(), Path(path).open("rb") as file:
            warnings.simplefilter("ignore")  # What matters is said below.
            with Image.open(file, formats=_known(Image)) as image:
                check_size(image.size, named, most_pixels)
                several = bool(getattr(image, "is_animated", False))
                image.load()
                return Picture(colours(Image, ImageOps, image, named), several)
    except KzooError:
        raise
    except Image.UnidentifiedImageError:
        raise KzooError(
            f"{named}: this is not a picture that kzoo reads; it reads "
            f"{', '.join(FORMATS[:-1])} and {FORMATS[-1]}."
        ) from None
    except Image.DecompressionBombError:
        raise KzooError(f"{named}: {_too_large(most_pixels)}") from None
    except FileNotFoundError:
        raise KzooError(f"{named}: there is no such file.") from None
    except PermissionError:
        raise KzooError(f"{named}: the file may not be read.") from None
    except Exception as error:  # Pillow raises every kind for a broken file.
        raise KzooError(
            f"{named}: the picture is not whole ({_reason(error)})."
        ) from None


def _check_file(path, named):
    """Raise unless the path is of a file that has a beginning and an end."""
    if is_address(path):
        raise KzooError(
            f"{named}: this is an address, and pictures are read from files; download "
            "it, and give the path of the file."
        )
    try:
        facts = Path(path).stat()
    except (FileNotFoundError, PermissionError):
        raise  # What opens the file has sentences for them.
    except (OSError, ValueError) as error:  # Too long, a loop of links, a zero byte.
        why = getattr(error, "strerror", None) or error
        raise KzooError(f"{named}: there can be no such file ({why}).") from None
    if stat.S_ISDIR(facts.st_mode):
        raise KzooError(f"{named}: this is a folder, not a picture.")
    if not stat.S_ISREG(facts.st_mode):  # Reading a pipe would wait for ever.
        raise KzooError(f"{named}: this is a device or a pipe, not a file.")
    if not facts.st_size:
        raise KzooError(f"{named}: the file is empty.")


def note_of_several(files):
    """What a person should know of files that hold more than is read of them.

    Args:
        files: int, how many hold several pictures; at least 1.

    Returns:
        str, without a full stop.
    """
    if files == 1:
        return "1 file holds several pictures; its first is read"
    return f"{files:,} files hold several pictures; their first is read"


def is_address(path):
    """Whether a path is an address of the web, or the like, rather than a file's.

    Args:
        path: str or `Path`.

    Returns:
        bool.
    """
    return bool(ADDRESS.match(str(path)))


def _known(Image):
    """Those of `FORMATS` that this Pillow knows."""
    Image.init()
    return [name for name in FORMATS if name in Image.OPEN]


def check_size(size, named, most_pixels=MOST_PIXELS):
    """Raise a `KzooError` unless a picture of this `(width, height)` is read."""
    width, height = size
    if not width or not height:
        raise KzooError(f"{named}: the picture has no pixels.")
    if width * height > most_pixels:
        raise KzooError(f"{named}: {_too_large(most_pixels, size)}")


def _too_large(most_pixels, size=None):
    what, unit = "has", "pixels "
    if size is not None:
        unit = ""
        what = f"has {size[0]:,} × {size[1]:,} pixels, which is"
    return (
        f"the picture {what} more than the {most_pixels:,} {unit}that are read; "
        "make it smaller."
    )


def colours(Image, ImageOps, image, named):
    """The pixels of a `PIL.Image`, turned and on white: uint8 `(height, width, 3)`."""
    image = ImageOps.exif_transpose(image)
    if image.mode in DEEP:
        deep = np.asarray(image).astype("int64")
        if deep.min() < 0 or deep.max() > 0xFFFF:
            raise KzooError(f"{named}: {_unlimited('whole numbers')}")
        image = Image.fromarray((deep >> 8).astype("uint8"))
    if image.mode == "F":
        raise KzooError(f"{named}: {_unlimited('numbers with a point')}")
    if image.has_transparency_data:
        image = image.convert("RGBA")
        ground = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(ground, image)
    return np.asarray(image.convert("RGB"))


def _unlimited(what):
    return (
        f"its pixels are {what} without a known range; save it with 8 or 16 bits a "
        "pixel."
    )


def _reason(error):
    said = str(error) or type(error).__name__
    return " ".join(said.split())[:200].rstrip(".")
