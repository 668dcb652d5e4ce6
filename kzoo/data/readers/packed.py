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

MARKS = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "bzip2": re.compile(rb"BZh[1-9]1AY&SY"),
    "xz": re.compile(rb"\xfd7zXZ\0"),
}
BLOCK = 1 << 16
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
    for kind, mark in MARKS.items():
        if mark.match(start):
            packed = _Counted(stream)
            plain = _opened(kind, packed)
            return io.BufferedReader(_Bounded(plain, packed, name))
    return stream


def _opened(kind, packed):
    if kind == "gzip":
        return gzip.open(packed, "rb")
    return _Streams(packed, bz2.BZ2Decompressor if kind == "bzip2" else _xz)


def _xz():
    return lzma.LZMADecompressor(lzma.FORMAT_XZ)


class _Streams(io.RawIOBase):
    """What packed streams hold, one after the other; zeros between them are padding.

    `bz2` and `lzma` take anything else after the first stream for its end, so rows
    of a damaged file would be missing without a word.
    """

    def __init__(self, packed, start):
        self._packed, self._start = packed, start
        self._unpacker = start()

    def readable(self):
        return True

    def readinto(self, buffer):
        data = b""
        while not data:
            block = b""
            if self._unpacker.eof:
                block = self._next_stream()
                if not block:
                    return 0
            elif self._unpacker.needs_input:
                block = self._packed.read(BLOCK)
                if not block:
                    raise EOFError("it ends too early")
            data = self._unpacker.decompress(block, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _next_stream(self):
        """Begin one: how it begins, nothing if there is none."""
        block = self._unpacker.unused_data.lstrip(b"\0")
        while not block:
            read = self._packed.read(BLOCK)
            if not read:
                return b""
            block = read.lstrip(b"\0")
        self._unpacker = self._start()
        return block


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
