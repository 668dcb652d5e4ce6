"""How text files are written, and what may stand between their fields."""

import codecs
import io

# Python calls these text encodings; files are not written in them.
NO_FILES = (
    *("idna", "punycode", "undefined"),
    *("unicode-escape", "raw-unicode-escape"),
)
ENCODINGS = ("utf-8", "utf-16", "latin-1", "cp1252")  # those people mean


def fit_delimiter(text):
    """Whether `text` can stand between the fields of CSV."""
    return len(text) == 1 and text not in '"\r\n\0'


def known_encoding(name):
    """Whether Python reads text in the encoding `name`."""
    try:
        io.TextIOWrapper(io.BytesIO(), name)
        return codec_name(name) not in NO_FILES
    except (LookupError, ValueError):
        return False


def codec_name(name):
    """The one name of an encoding that has several: `utf-8` of `U8`."""
    return codecs.lookup(name).name.replace("_", "-")
