"""Files packed by gzip, bzip2 or xz: unpacked on the way, and only as far as text goes.

Text packs to a tenth, tables of equal rows to a fiftieth. What unpacks to hundreds of
times its size was made to fill a memory.
"""

import bz2
import gzip
import io
import lzma
import re

from kzoo_recipes import KzooError

PACKED = (
    (re.compile(rb"\x1f\x8b"), gzip.open),
    (re.compile(rb"BZh[1-9]1AY&SY"), bz2.open),
    (re.compile(rb"\xfd7zXZ\0"), lzma.open),
)
MOST_RATIO = 200
FREE = 1 << 26  # bytes that any file may unpack to


def unpacked(stream, start, name):
    """`stream`, or what it unpacks to if it is packed.

    Args:
        stream: binary stream, at its beginning.
        start: bytes. How it begins.
        name: str. What errors call it.

    Raises:
        KzooError: while it is read, if it unpacks to far more than text does.
    """
    for mark, opened in PACKED:
        if mark.match(start):
            packed = _Counted(stream)
            return io.BufferedReader(_Bounded(opened(packed, "rb"), packed, name))
    return stream


class _Counted(io.RawIOBase):
    """A stream that knows how much was read of it."""

    def __init__(self, stream):
        self._stream = stream
        self.count = 0

    def readable(self):
        return True

    def readinto(self, buffer):
        read = self._stream.readinto(buffer) or 0
        self.count += read
        return read


class _Bounded(io.RawIOBase):
    """What was unpacked, as long as it is in proportion to what was packed."""

    def __init__(self, stream, packed, name):
        self._stream = stream
        self._packed = packed
        self._name = name
        self._count = 0

    def readable(self):
        return True

    def readinto(self, buffer):
        read = self._stream.readinto(buffer)
        self._count += read
        if self._count > max(FREE, MOST_RATIO * self._packed.count):
            raise KzooError(
                f"{self._name}: the file unpacks to more than {MOST_RATIO} times its "
                "size, as no text does; unpack it yourself if you trust it."
            )
        return read
